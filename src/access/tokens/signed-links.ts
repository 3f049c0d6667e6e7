/**
 * Signs and verifies URLs that need no token. Each is valid for one purpose, one file and one account, for half an
 * hour.
 *
 * They are signed with HMAC-SHA-256 by keys derived from the token keys, one per purpose. So a signature for one
 * purpose is not valid for another, rolling the signing key revokes links along with tokens, and no further secret has
 * to be kept.
 */
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { Account } from '../../domain/account.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { SigningKey } from '../../store/port/settings.ts';
import type { AccountDirectory } from '../account-directory.ts';

/** The path and method of each purpose; the star stands for the id. */
const TARGETS = Object.freeze({
  upload: 'PUT /uploads/*',
  errors: 'GET /files/*/errors.json',
  retry: 'GET /files/*/retry.json',
  report: 'GET /reports/files/*/report.csv',
});

export type LinkPurpose = keyof typeof TARGETS;

export type LinkFault = 'link_invalid' | 'link_expired';

const KEY_BYTES = 32;
/** A link has exactly these parameters, in this order and spelling. */
const QUERY = /^account=([1-9]\d{0,15})&expires=(\d{1,12})&key=([\w-]{1,64})&signature=([\w-]{43})$/;

export class SignedLinks {
  readonly #directory: AccountDirectory;
  readonly #publicUrl: () => string;
  readonly #derived = new WeakMap<SigningKey, Map<LinkPurpose, Uint8Array>>();

  /** Links start with the public URL, which is known once the server listens. */
  constructor(directory: AccountDirectory, publicUrl: () => string) {
    this.#directory = directory;
    this.#publicUrl = publicUrl;
  }

  async sign(purpose: LinkPurpose, accountId: number, id: string, nowMs: number): Promise<string> {
    const [key] = await this.#directory.signingKeys();
    if (key === undefined) throw new Error('There is no signing key.');
    const expires = Math.floor(nowMs / 1000) + LIMITS.signed_link_seconds;
    const signature = this.#signature(key, purpose, accountId, id, expires).toString('base64url');
    return `${this.address(purpose, id)}?account=${accountId}&expires=${expires}&key=${key.keyId}&signature=${signature}`;
  }

  /** Returns the URL without its signature, which identifies the file but grants no access. */
  address(purpose: LinkPurpose, id: string): string {
    return `${this.#publicUrl()}${pathOf(purpose, id)}`;
  }

  /** Returns the id in an upload URL, signed or not; undefined for other URLs. */
  uploadId(url: string): string | undefined {
    const start = this.address('upload', '');
    if (!url.startsWith(start)) return undefined;
    return url.slice(start.length).split('?', 1)[0];
  }

  /** Returns the account that a link is for. */
  async verify(purpose: LinkPurpose, id: string, query: string, nowMs: number): Promise<Account | LinkFault> {
    const [, account, expires, keyId, signature] = QUERY.exec(query) ?? [];
    if (keyId === undefined || signature === undefined) return 'link_invalid';
    const key = await this.#findKey(keyId, nowMs);
    if (key === undefined) return 'link_invalid';
    const accountId = Number(account);
    const expected = this.#signature(key, purpose, accountId, id, Number(expires));
    const given = Buffer.from(signature, 'base64url');
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return 'link_invalid';
    // Refuses other spellings of the same link: decoding ignores the last bits of the final letter, and leading zeros do not change a
    // number.
    if (given.toString('base64url') !== signature || String(Number(expires)) !== expires) return 'link_invalid';
    if (Number(expires) * 1000 <= nowMs) return 'link_expired';
    return (await this.#directory.account(accountId)) ?? 'link_invalid';
  }

  async #findKey(keyId: string, nowMs: number): Promise<SigningKey | undefined> {
    const find = async () => {
      const keys = await this.#directory.signingKeys();
      return keys.find((key) => key.keyId === keyId);
    };
    let key = await find();
    if (key === undefined) {
      // Another process may have signed with a newer key.
      await this.#directory.refreshForStranger();
      key = await find();
    }
    return key === undefined || (key.endsMs !== null && key.endsMs <= nowMs) ? undefined : key;
  }

  #signature(key: SigningKey, purpose: LinkPurpose, accountId: number, id: string, expires: number): Buffer {
    const target = TARGETS[purpose].replace('*', () => id);
    return createHmac('sha256', this.#keyFor(key, purpose)).update(`${target}\n${accountId}\n${expires}`).digest();
  }

  #keyFor(key: SigningKey, purpose: LinkPurpose): Uint8Array {
    const known = this.#derived.get(key) ?? new Map<LinkPurpose, Uint8Array>();
    this.#derived.set(key, known);
    const derived =
      known.get(purpose) ?? new Uint8Array(hkdfSync('sha256', key.secret, '', `offerbook link: ${purpose}`, KEY_BYTES));
    known.set(purpose, derived);
    return derived;
  }
}

function pathOf(purpose: LinkPurpose, id: string): string {
  return TARGETS[purpose].replace(/^[A-Z]+ /, '').replace('*', () => id);
}
