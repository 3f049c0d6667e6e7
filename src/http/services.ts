/** The dependencies of the endpoints: the context of operations, access to accounts, and settings of the server. */

import type { AccountDirectory } from '../access/account-directory.ts';
import type { PasskeyContext } from '../access/portal/passkeys.ts';
import type { SessionLookup } from '../access/portal/session-lookup.ts';
import type { RateLimiter, SlidingWindowLimiter } from '../access/rates/rate-limiter.ts';
import type { RequestCounter } from '../access/request-counter.ts';
import type { RequestLog } from '../access/request-log.ts';
import type { TokenContext } from '../access/tokens/issue-token.ts';
import type { Sessions } from '../access/tokens/sessions.ts';
import type { SignedLinks } from '../access/tokens/signed-links.ts';
import type { createWebhookChecks } from '../domain/bodies/webhook.ts';
import type { NameSettings } from '../domain/names.ts';
import type { TaggedTaxonomy } from '../domain/taxonomy/tree.ts';
import type { Context } from '../operations/context.ts';
import type { FeedContext } from '../operations/events/read-events.ts';
import type { FileContext } from '../operations/files/file-context.ts';
import type { HistoryContext } from '../operations/history/read-history.ts';
import type { MerchantsContext } from '../operations/portal/merchants-overview.ts';
import type { HomeContext } from '../operations/portal/read-home.ts';
import type { SystemContext } from '../operations/portal/read-system.ts';
import type { RequestLogContext } from '../operations/portal/request-log.ts';
import type { SearchContext } from '../operations/portal/search-offers.ts';
import type { ViewContext } from '../operations/portal/view-context.ts';
import type { PlaceholderContext } from '../operations/review/change-placeholders.ts';
import type { CatalogCorrections } from '../operations/review/correct-catalog.ts';
import type { Proposal } from '../operations/review/rule-change.ts';
import type { RuleChanges } from '../operations/review/undo-change.ts';
import type { SetupContext } from '../operations/setup/merchant-accounts.ts';
import type { StorefrontContext } from '../operations/storefront/read-products.ts';
import type { TaxonomyFiles } from '../operations/taxonomy/import-taxonomy.ts';
import type { IdempotencyStore } from '../store/port/idempotency.ts';
import type { Act, PeopleStore } from '../store/port/people.ts';
import type { PlanStore } from '../store/port/plans.ts';
import type { Impact } from '../store/port/settings.ts';
import type { WebhookContext } from '../webhooks/manage-webhooks.ts';
import type { Readiness } from './readiness.ts';

export interface Services {
  readonly context: Context;
  readonly files: FileContext;
  readonly idempotency: IdempotencyStore;
  readonly history: HistoryContext;
  readonly plans: PlanStore;
  readonly events: FeedContext;
  readonly storefront: StorefrontContext;
  readonly webhooks: WebhookContext & { readonly checks: ReturnType<typeof createWebhookChecks> };
  /** The context for views of one account. */
  readonly views: ViewContext;
  readonly portal: PortalServices;
  /** The context for settings changes by operators and merchants' users. */
  readonly setup: SetupContext;
  /** Makes this process see its own settings change immediately; others check twice a second. Never rejects. */
  readonly followSetup: () => Promise<void>;
  /** The operator's home. */
  readonly home: HomeContext;
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
  /** Rate limit of the marketplace's own keys. */
  readonly marketplaceRequests: RateLimiter<number>;
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

export interface PortalServices {
  readonly directory: AccountDirectory;
  readonly people: PeopleStore;
  /** Reports an action that could not be written to the activity log. */
  readonly onActUnrecorded: (act: Pick<Act, 'by' | 'act'>, error: unknown) => void;
  /** Limits how many entries each account can add to the activity log. */
  readonly merchantActs: SlidingWindowLimiter<number>;
  readonly signIn: PasskeyContext;
  readonly sessions: SessionLookup;
  /** How long after a sign-in the calls that need a fresh one are allowed; 0: always. */
  readonly freshSignIn_ms: number;
  /** Rate limits of users by email address, and of visitors by network (client-network.ts). */
  readonly requests: RateLimiter<string>;
  /** Settings that pages show or use. */
  readonly shown: ShownSettings;
}

export interface ShownSettings {
  /** Public logins of the demo; empty on every other server. */
  readonly demoLogins: readonly { readonly email: string; readonly password: string }[];
  readonly names: NameSettings;
  readonly requestsPerMinute: number;
  readonly fileBytesMax: number;
  readonly fileUnpackedBytesMax: number;
  readonly history_days: number;
}
