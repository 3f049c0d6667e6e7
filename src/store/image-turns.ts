/**
 * In charge of whose pictures are fetched next, in every adapter alike: those that are due longest, a few of each host.
 *
 * A host that was full has its turn from when a picture of it was freed. So the many that wait there, however long, do
 * not come before those of other hosts each time: hosts take turns.
 */

export interface ImageCandidate {
  readonly dueMs: number;
}

/** A host whose turn it is. */
export interface HostLook<Candidate extends ImageCandidate> {
  readonly host: string;
  readonly turnMs: number;
  /** In somebody's hands. */
  readonly underWay: number;
  /** Those that are due, longest first; as many as may be under way. */
  readonly candidates: readonly Candidate[];
}

/** Offers that are told together that a picture was judged: each is marked due, in one go. */
export const TOLD_TOGETHER = 500;
/** By so much each such slice prolongs the lease: more than it takes to mark as many offers due, on a busy server. */
export const TELLING_LEASE_MS = 30_000;

/** `full`: the hosts that then have as many under way as they may have. */
export function pickImages<Candidate extends ImageCandidate>(
  looks: readonly HostLook<Candidate>[],
  limit: number,
  perHost: number,
): { readonly taken: readonly Candidate[]; readonly full: ReadonlySet<string> } {
  const picked = looks
    .flatMap(({ host, turnMs, underWay, candidates }) =>
      candidates.slice(0, Math.max(0, perHost - underWay)).map((candidate) => {
        return { host, candidate, sinceMs: Math.max(turnMs, candidate.dueMs) };
      }),
    )
    .sort((one, other) => one.sinceMs - other.sinceMs)
    .slice(0, limit);
  const underWay = new Map(looks.map((look) => [look.host, look.underWay]));
  for (const { host } of picked) underWay.set(host, (underWay.get(host) ?? 0) + 1);
  const full = new Set(looks.map(({ host }) => host).filter((host) => (underWay.get(host) ?? 0) >= perHost));
  return { taken: picked.map(({ candidate }) => candidate), full };
}
