#!/bin/sh
# Called by the Dockerfile.   install.sh uv: the installer into /build/uv
#                             install.sh packages EXTRA [JUPYTERHUB_VERSION]: the lock into /opt/hundredfold
#                             install.sh sbom: the maker of the bill of materials into /build/sbom, since it is not in the images
#                             install.sh project EXTRA: the three packages, the checks' files and the bill of materials
set -eu
export UV_CACHE_DIR=/tmp/uv-cache UV_PYTHON_DOWNLOADS=never UV_LINK_MODE=hardlink
uv=/build/uv/bin/uv
to=/opt/hundredfold
cd /build

# The build's own certificate authority, where it was given one.
if [ -s /run/secrets/ca.pem ]; then export SSL_CERT_FILE=/run/secrets/ca.pem; fi

case "$1" in
uv)
  python3 -m venv /build/uv
  if [ -n "${SSL_CERT_FILE:-}" ]; then export PIP_CERT="$SSL_CERT_FILE"; fi
  /build/uv/bin/pip install --quiet --no-cache-dir --disable-pip-version-check --require-hashes --only-binary :all: \
    -r requirements/uv.txt
  ;;
sbom)
  "$uv" venv --quiet --no-project --python "$(command -v python3)" /build/sbom
  "$uv" pip install --quiet --python /build/sbom/bin/python --no-deps --require-hashes -r requirements/sbom.txt
  ;;
packages)
  "$uv" venv --quiet --no-project --python "$(command -v python3)" "$to"
  # Beside the course's packages: a hub's server at the hub's version, course updates by git, and notebooks as tests. Their versions
  # and hashes are the lock's, and so are those of what they need.
  wanted=$(cat requirements/hub.txt requirements/test.txt | sed -nE 's/^((jupyterhub|nbgitpuller|nbval|pytest)==[^ ;]+).*/\1/p' | sort -u)
  [ "$(echo "$wanted" | wc -l)" -eq 4 ]
  echo "$wanted" > requirements/image.txt
  # What the lock leaves out, as pyproject.toml says, which is not here: a change of it would install all packages again.
  echo rfc3987-syntax > requirements/excluded.txt
  "$uv" pip install --quiet --python "$to/bin/python" --require-hashes --excludes requirements/excluded.txt -r "requirements/$2.txt" \
    -c requirements/hub.txt -c requirements/test.txt -r requirements/image.txt
  if [ "$2" = cpu ]; then # what it requires is simulated
    "$uv" pip install --quiet --python "$to/bin/python" --no-deps --require-hashes -r requirements/cudf-polars.txt
  fi
  if [ -n "${3:-}" ]; then # another hub's: that version is not in the lock
    "$uv" pip install --quiet --python "$to/bin/python" "jupyterhub==$3"
  fi
  # What no lab uses is a fifth of it all: the packages' own tests, symbols for debuggers, the hub's own pages, Arrow's network service.
  site=$(echo "$to"/lib/python3*/site-packages)
  for package in pandas numpy scipy sklearn pyarrow numba dask distributed bokeh umap tornado jupyterhub; do
    find "$site/$package" -depth -type d -name tests -exec rm -rf {} + 2>/dev/null || true
  done
  rm -rf "$site/pyarrow/include" "$site"/pyarrow/*flight* "$site/jupyterlab/galata" "$site/jupyterlab/static" "$to/share/jupyterhub/static"
  # Bokeh's compiler of extensions, and its scripts that stand there minified as well.
  rm -rf "$site/bokeh/server/static/js/lib" "$site/bokeh/server/static/js/compiler.js"
  for script in "$site"/bokeh/server/static/js/*.min.js; do rm -f "${script%.min.js}.js"; done
  find "$to" \( -name '*.js.map' -o -name '*.dll' -o -name '*.dylib' -o -name '*.exe' \) -delete
  strip --strip-unneeded "$site"/llvmlite/binding/*.so "$site"/_polars_runtime_32/*.so "$site"/pyarrow/libarrow.so.* \
    "$site"/pyarrow/libarrow_compute.so.*
  # Compiled is what the lab, a kernel and a hub's server import when they start; all of it would be twice as much.
  "$to/bin/python" docker/warm.py
  ;;
project)
  "$uv" pip install --quiet --python "$to/bin/python" --no-deps --no-build-isolation --offline --compile-bytecode \
    ./packages/gpusim ./packages/kernellens ./packages/hundredfold
  mkdir -p "$to/share/hundredfold"
  cp -r nbval "$to/share/hundredfold/nbval"
  /build/sbom/bin/cyclonedx-py environment --spec-version 1.6 --output-file /tmp/python.cdx.json "$to/bin/python"
  python3 docker/sbom.py "hundredfold-$2" < /tmp/python.cdx.json > "$to/share/hundredfold/sbom.cdx.json"
  rm /tmp/python.cdx.json
  date -u +%Y-%m-%dT%H:%M:%SZ > "$to/share/hundredfold/built"
  rm -rf "$UV_CACHE_DIR"
  ;;
esac
