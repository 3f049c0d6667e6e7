/**
 * In charge of turning an Authorization header into the account that is asking.
 *
 * Sessions are kept by their header, so that a token's signature is checked once per setup version and not once per
 * request (11 microseconds, a sixth of a whole request). Only the usual spelling, `Bearer <token>`, is kept: others are
 * as good, but there are too many of them.
 */
import type { Account } from '../domain/account.ts';
import { type Author, authorOfKey } from '../domain/author.ts';
import type { ProblemCode } from '../domain/problem.ts';
import type { AccountDirectory } from './account-directory.ts';
import { namesOtherKey, verifyToken } from './token.ts';

export interface Session {
  readonly account: Account;
  readonly by: Author;
  /** The token, or the overlap of its replaced credential set, ends. */
  readonly endsMs: number;
  /** Of the setup that the session was derived from. */
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

  /** The session of a header that was verified before and still counts. */
  known(authorization: string | undefined, nowMs: number): Session | undefined {
    if (authorization === undefined) return undefined;
    const session = this.#sessions.get(authorization);
    const isCurrent = session?.version === this.#directory.version && nowMs < session.endsMs;
    return isCurrent ? session : undefined;
  }

  /** Whose the header was when it was last verified; it may have ended since. Tells whose load it is, and nothing else. */
  lastAccountId(authorization: string | undefined): number | undefined {
    return authorization === undefined ? undefined : this.#sessions.get(authorization)?.account.accountId;
  }

  async verify(authorization: string | undefined, nowMs: number): Promise<Session | SessionFault> {
    const token = authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];
    if (authorization === undefined || token === undefined) return 'token_missing';
    // Before what is derived from it is read, so that a change meanwhile makes the session an old one.
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
    const session = { account, by: authorOfKey(credential.user), endsMs, version };
    if (KEPT_SPELLING.test(authorization) && authorization.length === 'Bearer '.length + token.length) {
      this.#keep(authorization, session);
    }
    return session;
  }

  #keep(authorization: string, session: Session): void {
    // The one kept longest goes; a client that still uses it is verified once more.
    if (this.#sessions.size >= SESSIONS_MAX) {
      for (const oldest of this.#sessions.keys()) {
        this.#sessions.delete(oldest);
        break;
      }
    }
    this.#sessions.set(authorization, session);
  }
}
