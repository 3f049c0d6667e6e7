/** What the endpoints are given: the operations' context, access to accounts, and what is known of the outside. */
import type { TokenDesk } from '../access/issue-token.ts';
import type { RateLimiter } from '../access/rate-limiter.ts';
import type { Sessions } from '../access/sessions.ts';
import type { SignedLinks } from '../access/signed-links.ts';
import type { TaggedTaxonomy } from '../domain/taxonomy/tree.ts';
import type { Context } from '../operations/context.ts';
import type { FileContext } from '../operations/files/file-context.ts';
import type { Readiness } from './readiness.ts';

export interface Services {
  readonly context: Context;
  readonly files: FileContext;
  /** The one in force; `current` is another one after a change. */
  readonly taxonomy: { readonly current: TaggedTaxonomy };
  readonly sessions: Sessions;
  /** Addresses that need no token. */
  readonly links: SignedLinks;
  readonly tokenDesk: TokenDesk;
  /** Requests of an account; times from `monotonicMs`. */
  readonly requests: RateLimiter<number>;
  /** Never runs backwards, unlike the context's time of day. */
  readonly monotonicMs: () => number;
  readonly readiness: Readiness;
  /** How long one request waits for a store on another machine, all in all; undefined for the embedded store. */
  readonly storeWait_ms_max: number | undefined;
  /** Where clients reach this server, without a trailing slash. */
  readonly publicUrl: () => string;
}
