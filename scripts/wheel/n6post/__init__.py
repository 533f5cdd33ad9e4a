"""What `import n6post` finds where the wheel is installed: it puts the stand-ins on the path and loads the camera's package.

A checkout and a camera never see this file. The stand-ins come last on the path: a module of yours that is called like one
of the firmware's (image, ml, ...) is found first, by your code and by n6post.
"""

import functools
import importlib.util
import sys

from n6post_pc import paths

if str(paths.STUBS) not in sys.path:
    sys.path.append(str(paths.STUBS))

_folder = paths.LIB / "n6post"
_spec = importlib.util.spec_from_file_location(__name__, _folder / "__init__.py", submodule_search_locations=[str(_folder)])
assert _spec is not None and _spec.loader is not None
_module = importlib.util.module_from_spec(_spec)
sys.modules[__name__] = _module  # what the import statement hands out, in place of this file
_spec.loader.exec_module(_module)
_diagnose = _module.diagnose


@functools.wraps(_diagnose)
def _diagnose_on_a_pc(*arguments: object, **options: object) -> list[str]:
    return [paths.with_page(finding) for finding in _diagnose(*arguments, **options)]


_module.diagnose = _diagnose_on_a_pc
