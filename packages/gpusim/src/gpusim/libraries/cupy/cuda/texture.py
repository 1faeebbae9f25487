"""Texture memory is not simulated."""

from __future__ import annotations

from .._core.names import refused_class, refuser

ChannelFormatDescriptor = refused_class("cupy.cuda.texture.ChannelFormatDescriptor")
CUDAarray = refused_class("cupy.cuda.texture.CUDAarray")
ResourceDescriptor = refused_class("cupy.cuda.texture.ResourceDescriptor")
SurfaceObject = refused_class("cupy.cuda.texture.SurfaceObject")
TextureDescriptor = refused_class("cupy.cuda.texture.TextureDescriptor")
TextureObject = refused_class("cupy.cuda.texture.TextureObject")
TextureReference = refused_class("cupy.cuda.texture.TextureReference")

__getattr__ = refuser("cupy.cuda.texture")
