// Secrets out of what waits on the disk. The service redacts by its own, far longer list when it takes a turn in;
// these are the shapes that are most often pasted, so that none of them lies in a file until then.

const KNOWN = [
  "sk-[A-Za-z0-9_-]{16,}",
  "[rs]k_(?:live|test)_[A-Za-z0-9]{10,}",
  "gh[pousr]_[A-Za-z0-9]{20,}",
  "github_pat_[A-Za-z0-9_]{20,}",
  "glpat-[A-Za-z0-9_-]{16,}",
  "A[KS]IA[0-9A-Z]{16}",
  "AIza[0-9A-Za-z_-]{30,}",
  "xox[a-z]-[A-Za-z0-9-]{10,}",
  "(?:hf|gsk|npm)_[A-Za-z0-9]{20,}",
  "[0-9]{8,10}:AA[A-Za-z0-9_-]{30,}",
  "tercet_[A-Za-z0-9_-]{40,}",
].join("|");

/** "The password was wrong" holds none: after a verb only what has a digit is one. */
const SAYS = "[ \\t]*(?:[:=]|(?:is|was)(?=[ \\t]+\\S{0,200}\\d))[ \\t]*";
const PASSWORD_IS = `(?<![a-z])(?:pass(?:word|wd|code|phrase)|passwort|pwd)["'\`]?${SAYS}`;
const PASSWORD_IS_ASIAN = "(?:密码|密碼|口令|パスワード|비밀번호)[^\\S\\n]{0,2}[是为為は:：=][^\\S\\n]{0,2}";
const KEY_IS = `(?:api|access|auth|secret|private)[ _-]?(?:key|token)["'\`]?${SAYS}`;

/** What a secret was (the service's own words for it), and where one stands; group 1 is what is kept before it. */
const RULES = [
  ["private key", /()-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----|$)/g],
  ["password", /(:\/\/[^\s:/@]{0,100}:)[^\s/@]{1,200}(?=@)/g],
  ["api key", new RegExp(`((?<![A-Za-z0-9_-]))(?:${KNOWN})`, "g")],
  ["token", /((?<![A-Za-z0-9_-]))eyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{5,}(?:\.[A-Za-z0-9_-]*)?/g],
  ["token", /(\bBearer[ \t]{1,3})(?=\D{0,200}\d)[A-Za-z0-9._~+/=-]{12,}/gi],
  ["password", new RegExp(`(${PASSWORD_IS}["'\`]?)(?!\\[redacted)[^\\s"'\`,;]{3,200}[^\\s"'\`,;.!?)]`, "gi")],
  ["password", new RegExp(`(${PASSWORD_IS_ASIAN})(?!\\[redacted)[\\x21-\\x7e]{3,100}`, "g")],
  ["api key", new RegExp(`(${KEY_IS}["'\`]?)(?=\\S{0,200}\\d)[A-Za-z0-9+/_=.~-]{7,}[A-Za-z0-9+/_=~-]`, "gi")],
];

/** Replace secrets by `[redacted: <kind>]`; doing it twice changes nothing more. */
export function redact(text) {
  return RULES.reduce((left, [kind, pattern]) => left.replace(pattern, `$1[redacted: ${kind}]`), text);
}
