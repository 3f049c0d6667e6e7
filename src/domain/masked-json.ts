/** Writes a body as JSON text for people to read: without secrets, and cut off at a limit. */

/** Words that mark a name as secret wherever they occur: `client_secret_id`, `accessTokens`, `X-Amz-Credential`, `privateKey`. */
const SECRET_WORD =
  /secret|token|passw(?:or)?d|passphrase|passcode|credential|authori[sz]ation|signature|cookie|(?:api|access|private|signing|encryption)_?key/;
/** Short words, which also occur within other words, mark a name only as a whole part of it: `db_pass`, `userPwd`, `sig`. */
const SECRET_PART = /(?:^|_)(?:pass|pwd|sig|auth)(?:_|$)|^user(?:_?name)?$/;
/** In a URL, `key` is nearly always an API key. */
const SECRET_QUERY_PART = /(?:^|_)key$/;

/** Names of parameters in texts, with their values, which may contain escaped characters. The limit bounds the time for long texts. */
const PARAMETER = /([\w.~%-]{1,40})=((?:\\[^nrt]|[^&\s"\\#])+)/g;
/** The same in percent-encoded URLs, which may be encoded several times. */
const ENCODED_PARAMETER = /(%(?:25)*[\dA-F]{2}|\b)([\w.~-]{1,40})(%(?:25)*3D)(?:(?!%(?:25)*(?:26|23|20))[^&\s"\\#])+/gi;
/** A field of JSON text within a text, where quotes are escaped once more, with a string, number or literal. */
const NESTED_FIELD =
  /(\\"([\w.~%-]{1,40})\\"(?:\s|\\[nrt]){0,40}:(?:\s|\\[nrt]){0,40})(?:\\"(?:\\\\(?:\\.|[^"\\])|\\[^"\\]|[^"\\])*(?:\\")?|[^\s,{}[\]"\\]+)/g;
/**
 * Secrets within texts: an Authorization header, a JSON Web Token, a webhook's secret, the user info of a URL, also percent-encoded. One
 * expression for all would take ten times as long.
 */
const SECRET_TEXTS: readonly RegExp[] = [
  /\b(?:bearer|basic) +[\w.~+/=-]+/gi,
  /\beyJ[\w-]+\.[\w-]+\.[\w-]+/g,
  /\bwhsec_[\w+/=-]+/g,
  /(?<=:\/\/)(?:\\[^nrt]|[^\s/?#"\\])+(?=@)/g,
  /(?<=%(?:25)*3A%(?:25)*2F%(?:25)*2F)(?:(?!%(?:25)*(?:2F|3F|23|20))[^&\s/?#"\\])+(?=%(?:25)*40)/gi,
];
/** How many characters of a secret that begins before the limit are searched beyond it. */
const SECRET_CHARACTERS_MAX = 2_000;

const REMOVED = '[removed]';

/** Returns the JSON text. The time depends on the limit, not on the size of the value. */
export function maskedJson(value: unknown, characters_max: number): string {
  let json = '';
  const hasRoom = (): boolean => json.length <= characters_max;
  const put = (text: string): void => {
    json += JSON.stringify(text.slice(0, characters_max + SECRET_CHARACTERS_MAX));
  };
  const walk = (part: unknown): void => {
    if (typeof part === 'string') {
      put(part);
    } else if (Array.isArray(part)) {
      json += '[';
      for (let index = 0; index < part.length && hasRoom(); index++) {
        if (index > 0) json += ',';
        walk(part[index]);
      }
      json += ']';
    } else if (typeof part === 'object' && part !== null) {
      json += '{';
      let isFirst = true;
      for (const name in part) {
        if (!hasRoom()) break;
        if (!isFirst) json += ',';
        isFirst = false;
        put(name);
        json += ':';
        walk(isSecret(name) ? REMOVED : (part as Record<string, unknown>)[name]);
      }
      json += '}';
    } else {
      json += String(part);
    }
  };
  walk(value);
  const named = json
    .replaceAll(PARAMETER, (text, name: string) => (isSecretQuery(name) ? `${name}=${REMOVED}` : text))
    .replaceAll(ENCODED_PARAMETER, (text, before: string, name: string, sign: string) =>
      isSecretQuery(name) ? `${before}${name}${sign}${REMOVED}` : text,
    )
    .replaceAll(NESTED_FIELD, (text, start: string, name: string) =>
      isSecret(name) ? `${start}\\"${REMOVED}\\"` : text,
    );
  const masked = SECRET_TEXTS.reduce((text, secret) => text.replaceAll(secret, REMOVED), named);
  return hasRoom() ? masked : `${masked.slice(0, characters_max).toWellFormed()}…`;
}

/** Returns the name in lower case, with its parts separated by `_`. */
function partsOf(name: string): string {
  return name
    .replaceAll(/%[\dA-Fa-f]{2}|[^\dA-Za-z]/g, '_')
    .replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, '_')
    .toLowerCase();
}

function isSecret(name: string): boolean {
  const parts = partsOf(name);
  return SECRET_WORD.test(parts) || SECRET_PART.test(parts);
}

function isSecretQuery(name: string): boolean {
  return isSecret(name) || SECRET_QUERY_PART.test(partsOf(name));
}
