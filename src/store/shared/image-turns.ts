/**
 * In charge of whose pictures are fetched next, in every adapter alike: those that are due longest, a few of each host and
 * of each account.
 *
 * A picture waits in the lane of its host and of the account that pays for it: the one that wanted it first. Lanes and
 * accounts have turns. One that was full has its turn from when a picture of it was freed. So the many that wait there,
 * however long, do not come before those of others each time: hosts take turns, and so do accounts. An account that gives
 * each picture a host of its own gets no more places by it.
 */
import type { ImageLimits } from '../port/images.ts';

export interface ImageCandidate {
  readonly dueMs: number;
}

/** The pictures of one account at one host, whose turn it is. */
export interface LaneLook<Candidate extends ImageCandidate> {
  readonly accountId: number;
  readonly host: string;
  /** The later of those of the account and of the lane. */
  readonly turnMs: number;
  /** Those that are due, longest first; as many as may be under way. */
  readonly candidates: readonly Candidate[];
}

/** What is in somebody's hands; nothing where one is not named. */
export interface UnderWay {
  readonly ofHost: ReadonlyMap<string, number>;
  readonly ofAccount: ReadonlyMap<number, number>;
}

/** Offers that are told together that a picture was judged: each is marked due, in one go. */
export const TOLD_TOGETHER = 500;
/** By so much each such slice prolongs the lease: more than it takes to mark as many offers due, on a busy server. */
export const TELLING_LEASE_MS = 30_000;
/** Lanes of one account that are looked at together: of some the hosts may be full. */
export const LANES_TOGETHER = 8;
/** Looks before those who ask are let go with nothing: each moves the turns of the lanes that it saw. */
export const LOOKS_MAX = 50;
/** Other accounts at a host that get a turn when a picture of it is freed: some have nothing that is due. */
export const LANES_WOKEN = 4;
/** An account with so few pictures in the queue pays for those of others that it wants too, not to wait behind theirs. */
export const TAKES_OVER_BELOW = 100;

/** `fullHosts`, `fullAccounts`: those that then have as many under way as they may have. */
export function pickImages<Candidate extends ImageCandidate>(
  lanes: readonly LaneLook<Candidate>[],
  underWay: UnderWay,
  { limit, perHost, perAccount }: ImageLimits,
): {
  readonly taken: readonly Candidate[];
  readonly fullHosts: ReadonlySet<string>;
  readonly fullAccounts: ReadonlySet<number>;
} {
  const hosts = new Map(underWay.ofHost);
  const accounts = new Map(underWay.ofAccount);
  const waiting = lanes
    .flatMap(({ accountId, host, turnMs, candidates }) =>
      candidates.map((candidate) => ({ accountId, host, candidate, sinceMs: Math.max(turnMs, candidate.dueMs) })),
    )
    .sort((one, other) => one.sinceMs - other.sinceMs);
  const taken: Candidate[] = [];
  for (const { accountId, host, candidate } of waiting) {
    if (taken.length === limit) break;
    const [ofHost, ofAccount] = [hosts.get(host) ?? 0, accounts.get(accountId) ?? 0];
    if (ofHost >= perHost || ofAccount >= perAccount) continue;
    hosts.set(host, ofHost + 1);
    accounts.set(accountId, ofAccount + 1);
    taken.push(candidate);
  }
  return { taken, fullHosts: thoseWith(hosts, perHost), fullAccounts: thoseWith(accounts, perAccount) };
}

function thoseWith<Key>(counts: ReadonlyMap<Key, number>, count_min: number): ReadonlySet<Key> {
  return new Set([...counts].filter(([, count]) => count >= count_min).map(([key]) => key));
}
