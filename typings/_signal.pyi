from signal import getsignal as getsignal
from signal import signal as signal
