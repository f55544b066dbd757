"""Django's command line for the service: migrate, prepare, import_properties, spectacular."""

import os
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "srm_service.settings.local")
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        sys.exit(f"srm service: {error}")


if __name__ == "__main__":
    main()
