# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Secrets and certificates of notifiers' addresses."""

import base64
import subprocess
from pathlib import Path

import pytest

KEY = bytes(range(32))


@pytest.fixture
def secret_file(tmp_path: Path) -> Path:
    file = tmp_path / "webhook.secret"
    file.write_text(f"whsec_{base64.b64encode(KEY).decode()}\n")
    file.chmod(0o600)
    return file


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Certificate of `localhost`, which is its own authority, and its key."""
    folder = tmp_path_factory.mktemp("certificate")
    files = folder / "cert.pem", folder / "key.pem"
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1"]
    command += ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    subprocess.run([*command, "-out", files[0], "-keyout", files[1]], check=True, capture_output=True)
    return files
