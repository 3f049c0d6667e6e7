/**
 * Resolves an Authorization header to its account.
 *
 * Sessions are cached by header, so that a token's signature is verified once per settings version and not on every
 * request (11 us, a sixth of a whole request). Only the usual spelling, `Bearer <token>`, is cached: other spellings
 * are valid, but there are too many of them.
 */
import type { Account, Credential } from '../../domain/account.ts';
import { type Author, authorOfKey } from '../../domain/author.ts';
import type { ProblemCode } from '../../domain/problem.ts';
import type { AccountDirectory } from '../account-directory.ts';
import { makeRoom } from '../make-room.ts';
import { namesOtherKey, verifyToken } from './token.ts';

export interface Session {
  readonly account: Account;
  readonly by: Author;
  /** The credential set that the token was issued for, which limits what the session may do. */
  readonly key: Credential;
  /** When the token, or the overlap of its replaced credential set, ends. */
  readonly endsMs: number;
  /** The settings version that the session was derived from. */
  readonly version: number;
}

export type SessionFault = Extract<ProblemCode, `token_${string}`>;

const SESSIONS_MAX = 10_000;
const BEARER = /^bearer +(\S+) *$/i;
const KEPT_SPELLING = /^[Bb]earer /;

export class Sessions {
  readonly #directory: AccountDirectory;
  readonly #sessions = new Map<string, Session>();

  constructor(directory: AccountDirectory) {
    this.#directory = directory;
  }

  /** Returns the cached session of a header, if it is still valid. */
  known(authorization: string | undefined, nowMs: number): Session | undefined {
    if (authorization === undefined) return undefined;
    const session = this.#sessions.get(authorization);
    const isCurrent = session?.version === this.#directory.version && nowMs < session.endsMs;
    return isCurrent ? session : undefined;
  }

  /** Returns the account of the header when it was last verified, even if it has expired since. Used only for load shedding. */
  lastAccountId(authorization: string | undefined): number | undefined {
    return authorization === undefined ? undefined : this.#sessions.get(authorization)?.account.accountId;
  }

  async verify(authorization: string | undefined, nowMs: number): Promise<Session | SessionFault> {
    const token = authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];
    if (authorization === undefined || token === undefined) return 'token_missing';
    // The version is read before the data derived from it, so that a change in between makes the session stale.
    let { version } = this.#directory;
    let keys = await this.#directory.signingKeys();
    if (namesOtherKey(token, keys)) {
      await this.#directory.refreshForStranger();
      version = this.#directory.version;
      keys = await this.#directory.signingKeys();
    }
    const claims = verifyToken(token, keys, nowMs);
    if (claims === 'invalid') return 'token_invalid';
    if (claims === 'expired') return 'token_expired';
    const credential = await this.#directory.credential(claims.credentialId);
    const isCurrent = credential !== undefined && (credential.endsMs === null || nowMs < credential.endsMs);
    if (!isCurrent) return 'token_revoked';
    const account = await this.#directory.account(claims.accountId);
    if (account === undefined) return 'token_revoked';
    const endsMs = Math.min(claims.endsMs, credential.endsMs ?? Number.POSITIVE_INFINITY);
    const session = { account, by: authorOfKey(credential.user), key: credential, endsMs, version };
    if (KEPT_SPELLING.test(authorization) && authorization.length === 'Bearer '.length + token.length) {
      // A client whose session is removed for this one is verified once more.
      makeRoom(this.#sessions, SESSIONS_MAX);
      this.#sessions.set(authorization, session);
    }
    return session;
  }
}
