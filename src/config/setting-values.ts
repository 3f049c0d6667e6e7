/** Parsers of setting values. Each throws an Error whose message completes "NAME must ...". */
import { isIP } from 'node:net';
import path from 'node:path';
import { NEUTRAL_NAMES } from '../domain/names.ts';
import { CURRENCIES } from '../domain/vocabulary/currencies.ts';
import { STATUSES } from '../domain/vocabulary/statuses.ts';

export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (!/^\d+$/.test(text) || number < min || number > max) throw new Error(`be a whole number from ${min} to ${max}`);
    return number;
  };
}

export function oneOf<const T extends readonly string[]>(values: T): (text: string) => T[number] {
  return (text) => {
    if (!values.includes(text)) throw new Error(`be one of ${values.join(', ')}`);
    return text;
  };
}

export function severalOf<T extends string>(values: readonly T[]): (text: string) => readonly T[] {
  const isOne = (entry: string): entry is T => (values as readonly string[]).includes(entry);
  return (text) => listOf(isOne, `some of ${values.join(', ')}`)(text).filter(isOne);
}

export function optional<T>(parse: (text: string) => T): (text: string) => T | undefined {
  return (text) => (text === '' ? undefined : parse(text));
}

export function filePath(text: string): string | undefined {
  return text === '' ? undefined : path.resolve(text);
}

export function nonBlank(text: string): string {
  if (text.trim() === '') throw new Error('not be empty');
  return text;
}

export const proxies = listOf(isAddressOrNetwork, 'addresses or networks such as 10.0.0.0/8');
export const hosts = listOf(isHost, 'hosts such as img.example or 127.0.0.1:8081');

function listOf(isValid: (entry: string) => boolean, valid: string): (text: string) => readonly string[] {
  return (text) => {
    const entries = text.split(',').map((entry) => entry.trim());
    const given = entries.filter((entry) => entry !== '');
    if (!given.every(isValid)) throw new Error(`be ${valid}, comma-separated`);
    return given;
  };
}

function isHost(text: string): boolean {
  return URL.canParse(`http://${text}/`) && /^(?:\[[0-9a-f:.]+\]|[^\s/?#@:[\]]+)(?::\d+)?$/i.test(text);
}

function isAddressOrNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

/** URL parameters that would silently override a setting. */
const OWN_URL_PARAMETERS: Readonly<Record<string, string>> = {
  statement_timeout: 'DATABASE_STATEMENT_MS_MAX',
  lock_timeout: 'DATABASE_LOCK_MS_MAX',
  idle_in_transaction_session_timeout: 'DATABASE_CALL_MS_MAX',
  query_timeout: 'DATABASE_CALL_MS_MAX',
};

export function postgresUrl(text: string): string {
  const url = /^postgres(?:ql)?:\/\/\S+$/.test(text) ? URL.parse(text) : null;
  if (url === null || url.hostname === '' || url.pathname.length < 2) {
    throw new Error(
      'be empty, or a URL such as postgres://user:password@host:5432/database, with a percent-encoded password',
    );
  }
  const taken = Object.keys(OWN_URL_PARAMETERS).find((name) => url.searchParams.has(name));
  if (taken !== undefined) throw new Error(`not contain ${taken}: use ${OWN_URL_PARAMETERS[taken]} instead`);
  return text;
}

export function publicUrl(text: string): string | undefined {
  if (text === '') return undefined;
  if (!/^https?:\/\/[^?#]+$/i.test(text) || !URL.canParse(text)) {
    throw new Error('be an absolute http or https URL without ? and #');
  }
  // Must be ASCII, because it is written into headers.
  return new URL(text).href.replace(/\/+$/, '');
}

/** Without PUBLIC_URL, the URL has the IP address at which the server listens. */
export function allowsPasskeys(settings: {
  readonly operatorPasskeys: string;
  readonly publicUrl: string | undefined;
}) {
  const { protocol, hostname } = new URL(settings.publicUrl ?? 'http://127.0.0.1');
  const isAllowed = hostname === 'localhost' || (protocol === 'https:' && !/^[\d.]+$|:/.test(hostname));
  return isAllowed || settings.operatorPasskeys !== 'required';
}

export const PASSKEYS_FAULT =
  'OPERATOR_PASSKEYS=required needs a PUBLIC_URL with https and a host name: browsers refuse passkeys elsewhere';

/** Hides passwords in addresses. */
export function shownValue(text: string): string {
  return JSON.stringify(text.replace(/:\/\/.*@/s, '://***@'));
}

/** Plain http is only for a provider on the same machine. */
export function issuerUrl(text: string): string | undefined {
  if (text === '') return undefined;
  const { protocol, hostname, search, hash } = URL.parse(text) ?? {};
  const isSafe =
    protocol === 'https:' || (protocol === 'http:' && /^(?:127\.0\.0\.1|\[::1\]|localhost)$/.test(hostname ?? ''));
  if (!isSafe || search !== '' || hash !== '') throw new Error('be empty, or an https URL without ? and #');
  return text;
}

export function oidcScopes(text: string): string {
  if (!/^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/.test(text) || !text.split(' ').includes('openid')) {
    throw new Error('be scopes separated by spaces, with openid among them');
  }
  return text;
}

/** Returns the URL without the slash at its end. */
export function collectorUrl(text: string): string {
  if (!/^https?:\/\/[^?#\s]+$/i.test(text) || !URL.canParse(text)) {
    throw new Error('be empty, or an http or https URL such as http://127.0.0.1:4318');
  }
  return text.replace(/\/+$/, '');
}

export function collectorHeaders(text: string): Readonly<Record<string, string>> {
  const pairs = text.split(',').filter((pair) => pair.trim() !== '');
  try {
    const entries = pairs.map((pair): [string, string] => {
      const [, name = '', value = ''] = /^([^=]+)=(.*)$/.exec(pair.trim()) ?? [];
      return [name.trim(), decodeURIComponent(value.trim())];
    });
    return Object.fromEntries(new Headers(entries));
  } catch {
    throw new Error('be empty, or name=value pairs separated by commas, with percent-encoded values');
  }
}

/** So short that a link has at most 2,000 characters, even if the SKU, percent-encoded in code and SKU, is as long as possible. */
const STOREFRONT_URL_CHARACTERS_MAX = 300;

/** Returns the template as it is. It may only contain characters that feeds allow in URLs. */
export function storefrontUrl(text: string): string {
  const times = (name: string) => text.split(`{${name}}`).length - 1;
  const filled = text.replace(/(?<=^https?:\/\/[^/?#{}]+[/?#].*)\{(?:code|sku|merchant)\}/gi, 'x');
  const isUrl = /^https?:\/\/[\w\-.~:/?#@!$&'()*+,;=%]+$/i.test(filled) && URL.canParse(filled);
  const isComplete = times('code') === 1 && times('sku') === 1 && times('merchant') <= 1;
  if (!isUrl || !isComplete || text.length > STOREFRONT_URL_CHARACTERS_MAX) {
    throw new Error(
      'be empty, or an http or https URL of at most 300 ASCII characters with {code} and {sku} once each after the host, and ' +
        '{merchant} at most once',
    );
  }
  return text;
}

export function currency(text: string): string {
  if (!CURRENCIES.has(text)) throw new Error('be a currency code of ISO 4217 in capitals, such as USD');
  return text;
}

export function fieldNamePart(text: string): string {
  if (!/^[a-z][a-z0-9_]{0,31}$/.test(text)) {
    throw new Error('be 1 to 32 lower-case letters, digits or underscores, a letter first');
  }
  return text;
}

export function carrierNames(text: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim());
  const isFine = (name: string) => name !== '' && name.length <= 50;
  if (names.length !== 5 || !names.every(isFine) || new Set(names).size !== 5) {
    throw new Error('be five different names of at most 50 characters, separated by commas');
  }
  // Bodies may use either name of a carrier, so the neutral name of another carrier would have two meanings.
  if (names.some((name, index) => /^<carrier_\d>$/.test(name) && name !== NEUTRAL_NAMES.carriers[index])) {
    throw new Error('use <carrier_N> only at position N');
  }
  return names;
}

export function reviewStatus(text: string): string {
  const others: readonly string[] = Object.values(STATUSES).filter((status) => status !== STATUSES.review);
  if (text.trim() === '' || text.length > 100 || others.includes(text)) {
    throw new Error('be 1 to 100 characters and differ from the other statuses');
  }
  return text;
}
