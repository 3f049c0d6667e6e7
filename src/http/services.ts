/** What the endpoints are given: the operations' context, access to accounts, and what is known of the outside. */
import type { TokenContext } from '../access/issue-token.ts';
import type { RateLimiter } from '../access/rate-limiter.ts';
import type { RequestCounter } from '../access/request-counter.ts';
import type { Sessions } from '../access/sessions.ts';
import type { SignedLinks } from '../access/signed-links.ts';
import type { TaggedTaxonomy } from '../domain/taxonomy/tree.ts';
import type { Context } from '../operations/context.ts';
import type { FileContext } from '../operations/files/file-context.ts';
import type { MerchantsContext } from '../operations/portal/merchants-overview.ts';
import type { HistoryContext } from '../operations/portal/read-history.ts';
import type { SystemContext } from '../operations/portal/read-system.ts';
import type { WatchContext } from '../operations/portal/watch-context.ts';
import type { PlaceholderContext } from '../operations/review/change-placeholders.ts';
import type { CatalogCorrections } from '../operations/review/correct-catalog.ts';
import type { SetupContext } from '../operations/setup/setup-context.ts';
import type { TaxonomyFiles } from '../operations/taxonomy/taxonomy-files.ts';
import type { PortalServices } from './portal-access/portal-services.ts';
import type { Readiness } from './readiness.ts';

export interface Services {
  readonly context: Context;
  readonly files: FileContext;
  readonly history: HistoryContext;
  /** What people look at of an account. */
  readonly watch: WatchContext;
  readonly portal: PortalServices;
  /** What operators and merchants' people set up. */
  readonly setup: SetupContext;
  /** Has this process see at once what it changed of the setup; others look twice a second. Never rejects. */
  readonly followSetup: () => Promise<void>;
  /** What merchants have and use, for operators. */
  readonly merchants: MerchantsContext;
  readonly placeholders: PlaceholderContext;
  readonly catalog: CatalogCorrections;
  readonly taxonomyFiles: TaxonomyFiles;
  /** What operators watch. */
  readonly system: SystemContext;
  /** The one in force; `current` is another one after a change. */
  readonly taxonomy: { readonly current: TaggedTaxonomy };
  readonly sessions: Sessions;
  /** Addresses that need no token. */
  readonly links: SignedLinks;
  readonly tokenContext: TokenContext;
  /** Requests of an account; times from `monotonicMs`. */
  readonly requests: RateLimiter<number>;
  /** For people who watch. */
  readonly requestCounter: Pick<RequestCounter, 'count'>;
  /** Never runs backwards, unlike the context's time of day. */
  readonly monotonicMs: () => number;
  readonly readiness: Readiness;
  /** How long one request waits for a store on another machine, all in all; undefined for the embedded store. */
  readonly storeWait_ms_max: number | undefined;
  /** Where clients reach this server, without a trailing slash. */
  readonly publicUrl: () => string;
}
