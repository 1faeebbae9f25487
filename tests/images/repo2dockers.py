"""What repo2docker would hand to Docker for this checkout: its own Dockerfile and build context, kept in a folder.

Run by the Python of an environment that has repo2docker:  repo2dockers.py CHECKOUT FOLDER
"""

import json
import sys
import tarfile
from pathlib import Path

from repo2docker.app import Repo2Docker
from repo2docker.engine import ContainerEngine


def main(checkout: str, folder: str) -> None:
    folder = Path(folder).resolve()  # repo2docker works in the checkout

    class Keep(ContainerEngine):
        """An engine that builds nothing: it keeps what it is given."""

        def build(self, *, buildargs, fileobj, **more):
            fileobj.seek(0)
            with tarfile.open(fileobj=fileobj) as context:
                context.extractall(folder, filter="fully_trusted")
            (folder / "buildargs.json").write_text(json.dumps(buildargs))
            yield "kept"

        def images(self):
            return []

        def inspect_image(self, image):
            return None

    class Asked(Repo2Docker):
        def get_engine(self):
            return Keep(parent=self)

    app = Asked()
    app.repo, app.output_image_spec, app.run = checkout, "hundredfold-binder", False
    app.user_id, app.user_name = 1000, "jovyan"  # as BinderHub asks for
    app.initialize()
    app.build()


if __name__ == "__main__":
    main(*sys.argv[1:])
