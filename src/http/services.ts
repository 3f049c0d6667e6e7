/** The dependencies of the endpoints: the context of operations, access to accounts, and settings of the server. */
import type { TokenContext } from '../access/issue-token.ts';
import type { RateLimiter } from '../access/rate-limiter.ts';
import type { RequestCounter } from '../access/request-counter.ts';
import type { RequestLog } from '../access/request-log.ts';
import type { Sessions } from '../access/sessions.ts';
import type { SignedLinks } from '../access/signed-links.ts';
import type { createWebhookChecks } from '../domain/bodies/webhook.ts';
import type { TaggedTaxonomy } from '../domain/taxonomy/tree.ts';
import type { Context } from '../operations/context.ts';
import type { FeedContext } from '../operations/events/read-events.ts';
import type { FileContext } from '../operations/files/file-context.ts';
import type { HistoryContext } from '../operations/history/read-history.ts';
import type { MerchantsContext } from '../operations/portal/merchants-overview.ts';
import type { SystemContext } from '../operations/portal/read-system.ts';
import type { RequestLogContext } from '../operations/portal/request-log.ts';
import type { SearchContext } from '../operations/portal/search-offers.ts';
import type { WatchContext } from '../operations/portal/watch-context.ts';
import type { PlaceholderContext } from '../operations/review/change-placeholders.ts';
import type { CatalogCorrections } from '../operations/review/correct-catalog.ts';
import type { Impact, Proposal } from '../operations/review/rule-change.ts';
import type { RuleChanges } from '../operations/review/undo-change.ts';
import type { SetupContext } from '../operations/setup/setup-context.ts';
import type { TaxonomyFiles } from '../operations/taxonomy/taxonomy-files.ts';
import type { IdempotencyStore } from '../store/port/idempotency.ts';
import type { WebhookContext } from '../webhooks/manage-webhooks.ts';
import type { PortalServices } from './portal-access/portal-services.ts';
import type { Readiness } from './readiness.ts';

export interface Services {
  readonly context: Context;
  readonly files: FileContext;
  readonly idempotency: IdempotencyStore;
  readonly history: HistoryContext;
  readonly events: FeedContext;
  readonly webhooks: WebhookContext & { readonly checks: ReturnType<typeof createWebhookChecks> };
  /** The context for views of one account. */
  readonly watch: WatchContext;
  readonly portal: PortalServices;
  /** The context for settings changes by operators and merchants' users. */
  readonly setup: SetupContext;
  /** Makes this process see its own settings change immediately; others check twice a second. Never rejects. */
  readonly followSetup: () => Promise<void>;
  /** Statistics of all merchants, for operators. */
  readonly merchants: MerchantsContext;
  /** Offers of all merchants, for operators. */
  readonly search: SearchContext;
  readonly placeholders: PlaceholderContext;
  readonly catalog: CatalogCorrections;
  /** Changes to the review's rules, and their impact on offers. */
  readonly ruleChanges: RuleChanges & { readonly estimate: (proposal: Proposal) => Promise<Impact> };
  readonly taxonomyFiles: TaxonomyFiles;
  /** Health of the system, for operators. */
  readonly system: SystemContext;
  /** Holds the current taxonomy, which is replaced after a change. */
  readonly taxonomy: { readonly current: TaggedTaxonomy };
  readonly sessions: Sessions;
  /** URLs that need no token. */
  readonly links: SignedLinks;
  readonly tokenContext: TokenContext;
  /** Rate limit of accounts; times are from `monotonicMs`. */
  readonly requests: RateLimiter<number>;
  /** Rate limit of dry runs, which do not count as requests. */
  readonly dryRuns: RateLimiter<number>;
  /** Request counts for display. */
  readonly requestCounter: Pick<RequestCounter, 'count'>;
  readonly requestLog: Pick<RequestLog, 'hasRoom' | 'record'>;
  readonly requestLogContext: RequestLogContext;
  /** A clock that never runs backwards, unlike the context's time of day. */
  readonly monotonicMs: () => number;
  readonly readiness: Readiness;
  /** The total time that one request may wait for a remote store; undefined for the embedded one. */
  readonly storeWait_ms_max: number | undefined;
  /** The URL at which clients reach this server, without a trailing slash. */
  readonly publicUrl: () => string;
}
