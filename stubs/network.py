"""The `network` module: interfaces that connect at once, backed by the PC's own network.

Sockets are CPython's. A server that the script starts is reached at localhost.
"""

from typing import TYPE_CHECKING, Any, overload

import _host

STA_IF = 0
AP_IF = 1
STAT_IDLE = 0
STAT_CONNECTING = 1
STAT_NO_AP_FOUND = -2
STAT_WRONG_PASSWORD = -3
STAT_CONNECT_FAIL = -1
STAT_GOT_IP = 3


class _Interface(_host.StandIn):
    """Base of WLAN and LAN."""

    def __init__(self) -> None:
        self._active = self._connected = False
        self._addresses = ("127.0.0.1", "255.0.0.0", "127.0.0.1", "127.0.0.1")
        self._settings: dict[str, Any] = {"mac": b"\x02\x00\x00\x00\x00\x01"}

    def active(self, is_active: bool | int | None = None, /) -> bool | None:
        if is_active is None:
            return self._active
        self._active = bool(is_active)
        return None

    def isconnected(self) -> bool:
        return self._connected

    @overload
    def ifconfig(self) -> tuple[str, str, str, str]: ...

    @overload
    def ifconfig(self, addresses: tuple[str, str, str, str] | tuple[str] | str, /) -> None: ...

    def ifconfig(self, addresses: Any = None) -> Any:
        """(address, mask, gateway, DNS)"""
        if addresses is None:
            return self._addresses
        if not isinstance(addresses, str) and len(addresses) == 4:  # "dhcp" and ("dhcp",) ask for addresses
            self._addresses = addresses
        return None

    def config(self, name: str | None = None, /, **settings: Any) -> Any:
        if name is None:
            self._settings.update(settings)
            return None
        if name not in self._settings:
            raise ValueError(f"unknown config param {name}")
        return self._settings[name]

    def status(self, param: str | None = None, /) -> Any:
        if param == "rssi":
            return -40
        return STAT_GOT_IP if self._connected else STAT_IDLE


class WLAN(_Interface):
    """WiFi: connects at once, with any name and key; an access point is connected once it is active."""

    IF_STA = STA_IF
    IF_AP = AP_IF
    SEC_OPEN = OPEN = 0
    SEC_WEP = WEP = 1
    SEC_WPA_WPA2 = WPA_PSK = 4

    def __init__(self, interface_id: int = STA_IF, /) -> None:
        if interface_id not in (STA_IF, AP_IF):
            raise ValueError("invalid WLAN interface identifier")
        super().__init__()
        self._interface = interface_id

    def connect(self, ssid: Any = None, key: Any = None, /, *, bssid: Any = None, security: int = -1, channel: int = -1,
                timeout: int = 0, **options: Any) -> None:
        if not self._active:
            raise OSError("WLAN: active(True) comes before connect()")
        self._settings.update(ssid=ssid, essid=ssid)
        self._connected = True

    def disconnect(self) -> None:
        self._connected = False

    def isconnected(self) -> bool:
        return self._active if self._interface == AP_IF else self._connected


class LAN(_Interface):
    """A cable that is plugged in: connected once it is active."""

    def __init__(self, id: int = 0, **options: Any) -> None:
        super().__init__()

    def active(self, is_active: bool | int | None = None, /) -> bool | None:
        answer = super().active(is_active)
        self._connected = self._active
        return answer


if not TYPE_CHECKING:
    __getattr__ = _host.missing("network")
