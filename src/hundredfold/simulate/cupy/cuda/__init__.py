from .device import Device as Device
