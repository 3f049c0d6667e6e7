/** Writes a body as JSON text for people to read: without secrets, and cut off at a limit. */

/** Fields that hold secrets: `user`, `pass`, `id_token`, `clientSecret`, `X-Api-Key`. */
const SECRET_NAME =
  /^user(?:_?name)?$|(?:^|[^a-z])pass$|passw(?:or)?d$|passphrase$|secret$|token$|authori[sz]ation$|api[-_ ]?key$|signature$|cookie$/i;
/**
 * Secrets within texts: an Authorization header, a JSON Web Token, the signature of a URL. One expression for all three
 * would take ten times as long.
 */
const SECRET_TEXTS: readonly RegExp[] = [
  /\b(?:bearer|basic) +[\w.~+/=-]+/gi,
  /\beyJ[\w-]+\.[\w-]+\.[\w-]+/g,
  /[?&](?:signature|token)=[^&\s"\\]+/gi,
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
      for (let place = 0; place < part.length && hasRoom(); place++) {
        if (place > 0) json += ',';
        walk(part[place]);
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
        walk(SECRET_NAME.test(name) ? REMOVED : (part as Record<string, unknown>)[name]);
      }
      json += '}';
    } else {
      json += String(part);
    }
  };
  walk(value);
  const masked = SECRET_TEXTS.reduce((text, secret) => text.replaceAll(secret, REMOVED), json);
  return hasRoom() ? masked : `${masked.slice(0, characters_max).toWellFormed()}…`;
}
