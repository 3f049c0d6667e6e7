/** Lists the aggregates whose commands both engines share, and derives the methods of the store from them. */
import type { FeedStore } from '../port/feed.ts';
import type { ImageStore } from '../port/images.ts';
import type { OfferListStore } from '../port/offer-list.ts';
import type { WorkStore } from '../port/work.ts';
import type { SetupStore } from '../port.ts';
import * as news from './catalog/news.ts';
import * as products from './catalog/products.ts';
import * as catalogUsers from './catalog/users.ts';
import {
  type AnyCommand,
  type Command,
  type CommandNames,
  isCommand,
  type Methods,
  type Mode,
  write,
} from './command.ts';
import * as feed from './feed/feed.ts';
import * as feedNumbering from './feed/numbering.ts';
import * as webhooks from './feed/webhooks.ts';
import * as fileLists from './files/lists.ts';
import * as fileProgress from './files/progress.ts';
import * as reportRows from './files/report-rows.ts';
import * as reports from './files/reports.ts';
import * as historyRetention from './history/history-retention.ts';
import * as history from './history/history-rows.ts';
import * as historySizes from './history/history-sizes.ts';
import * as idempotency from './idempotency.ts';
import * as imageChecks from './images/checks.ts';
import * as images from './images/images.ts';
import * as imageQueue from './images/queue.ts';
import * as wholeOffers from './moves/offer-rows.ts';
import * as listedOffers from './offer-list/listed-offers.ts';
import * as offerCounts from './offer-list/offer-counts.ts';
import * as offerDays from './offer-list/offer-days.ts';
import { OfferList, type OfferListReads } from './offer-list/offer-list-walk.ts';
import * as offerScans from './offers/offer-scans.ts';
import * as passkeys from './people/passkeys.ts';
import * as sessions from './people/sessions.ts';
import * as portalUsers from './people/users.ts';
import * as plans from './plans.ts';
import * as announcedChanges from './policies/announced-changes.ts';
import * as applyAnnounced from './policies/apply-announced.ts';
import * as policies from './policies/policies.ts';
import * as ruleChanges from './policies/rule-changes.ts';
import * as review from './review/review.ts';
import * as reviewReads from './review/review-reads.ts';
import * as upcoming from './review/upcoming.ts';
import * as accounts from './settings/accounts.ts';
import * as credentials from './settings/credentials.ts';
import * as merchants from './settings/merchants.ts';
import * as signingKeys from './settings/signing-keys.ts';
import { repeatedCalls } from './slices.ts';
import * as storefrontProducts from './storefront/products.ts';
import * as storefrontProgress from './storefront/progress.ts';
import * as storefrontProjection from './storefront/projection.ts';
import * as storefrontRanks from './storefront/ranks.ts';
import * as storefrontFeed from './storefront/shop-feed.ts';
import * as taxonomy from './taxonomy.ts';
import * as traffic from './traffic/request-counts.ts';
import * as requestLog from './traffic/request-log.ts';
import * as traces from './traffic/traces.ts';
import * as work from './work.ts';

/** Modules may export more than commands: `isCommand` tells them apart. */
const AGGREGATES = {
  catalog: { ...products, ...catalogUsers, ...news },
  feed: { ...feed, ...feedNumbering },
  files: { ...fileProgress, ...fileLists },
  history: { ...history, ...historyRetention, ...historySizes },
  idempotency,
  images: { ...images, ...imageQueue, ...imageChecks },
  offerList: { ...offerCounts, ...offerDays, ...listedOffers },
  offers: { ...wholeOffers, ...offerScans },
  people: { ...portalUsers, ...sessions, ...passkeys },
  plans,
  policies: { ...policies, ...ruleChanges, ...announcedChanges, ...applyAnnounced },
  reports: { ...reports, ...reportRows },
  review: { ...review, ...reviewReads, ...upcoming },
  settings: { ...merchants, ...accounts, ...credentials, ...signingKeys },
  storefront: {
    ...storefrontProgress,
    ...storefrontProjection,
    ...storefrontProducts,
    ...storefrontRanks,
    ...storefrontFeed,
  },
  taxonomy,
  traffic: { ...traffic, ...requestLog, ...traces },
  webhooks,
  work: { ...work, announceWork: write<WorkStore['announceWork']>(work.announceWork) },
};

type Aggregates = typeof AGGREGATES;

/** Names a command between threads: `people.addSession`. */
export type CommandName = {
  [Aggregate in keyof Aggregates]: `${Aggregate}.${CommandNames<Aggregates[Aggregate]> & string}`;
}[keyof Aggregates];

export type NamedCommand = (...args: never[]) => Promise<unknown>;

/** How an adapter runs a command. */
export type RunCommand = (command: AnyCommand, args: never[], name: CommandName) => Promise<unknown>;

export function methodsOf<Aggregate extends keyof Aggregates>(
  aggregate: Aggregate,
  run: RunCommand,
): Methods<Aggregates[Aggregate]> {
  const methods = commandsOf(aggregate).map(([method, name, command]) => {
    return [method, (...args: never[]) => run(command, args, name)];
  });
  return Object.fromEntries(methods);
}

function methodsOfEach<Name extends keyof Aggregates>(aggregates: readonly Name[], run: RunCommand) {
  const entries = aggregates.map((aggregate) => [aggregate, methodsOf(aggregate, run)]);
  return Object.fromEntries(entries) as { readonly [Aggregate in Name]: Methods<Aggregates[Aggregate]> };
}

/** Returns the methods that need nothing from their engine but commands. Commands that only other methods call are left out. */
export function sharedMethods(run: RunCommand) {
  const { readPage, readTextPage, numberEvents, ...feedMethods } = methodsOf('feed', run);
  const { lookForImages, ...imageMethods } = methodsOf('images', run);
  const { takeWork, ...workMethods } = methodsOf('work', run);
  const reads = feed.numberedReads({ readPage, readTextPage, numberEvents });
  return {
    ...setupMethods(run),
    ...methodsOfEach(['webhooks', 'reports', 'plans', 'idempotency', 'history', 'traffic', 'storefront'], run),
    feed: { ...feedMethods, ...reads } satisfies FeedStore,
    images: {
      ...imageMethods,
      takeImages: repeatedCalls(lookForImages, imageQueue.LOOKS_MAX, []),
    } satisfies ImageStore,
    work: { ...workMethods, takeWork: repeatedCalls(takeWork, work.TAKES_MAX, undefined) } satisfies WorkStore,
  };
}

/** Returns the methods of the offer list; `reads` come from the engine. */
export function offerListMethods(run: RunCommand, reads: OfferListReads): OfferListStore {
  const { nameOffers, ...methods } = methodsOf('offerList', run);
  const list = new OfferList({ ...reads, ...methods, nameOffers });
  return {
    ...methods,
    listOffers: (...asked) => list.list(...asked),
    countOffers: (...asked) => list.count(...asked),
  };
}

/** Returns the methods for settings, which servers and the command line use. */
export function setupMethods(run: RunCommand): SetupStore {
  return methodsOfEach(['settings', 'taxonomy', 'policies', 'people', 'catalog'], run);
}

/** Returns the commands of one mode by name, for a store thread. */
export function namedCommands<M extends Mode>(
  mode: M,
  run: (command: Command<M>, args: never[]) => Promise<unknown>,
): Record<CommandName, NamedCommand> {
  const all = Object.keys(AGGREGATES).flatMap((aggregate) => commandsOf(aggregate as keyof Aggregates));
  const ofMode = all.filter(([, , command]) => command.mode === mode) as [string, CommandName, Command<M>][];
  const named = ofMode.map(([, name, command]) => [name, (...args: never[]) => run(command, args)]);
  return Object.fromEntries(named);
}

function commandsOf(aggregate: keyof Aggregates): [method: string, name: CommandName, command: AnyCommand][] {
  return Object.entries<unknown>(AGGREGATES[aggregate]).flatMap(([method, command]) => {
    return isCommand(command) ? [[method, `${aggregate}.${method}` as CommandName, command]] : [];
  });
}
