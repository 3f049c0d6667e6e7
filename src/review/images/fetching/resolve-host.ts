/**
 * In charge of the addresses of a host name.
 *
 * Names that merchants give are asked for by Node's own DNS client. `dns.lookup` would hold one of the four threads of
 * Node's pool for as long as a name server pleases, and with it decoding, password hashing and files: four names on a
 * dead name server would stop them all.
 */
import { promises as dns } from 'node:dns';
import { setTimeout } from 'node:timers/promises';

/** Rejects where there are none. */
export type ResolveHost = (hostname: string) => Promise<readonly string[]>;

/** Twice 1.5 s for each name server: well within the time of a fetch. */
const QUERY_MS_MAX = 1_500;
const QUERY_TRIES = 2;
/** Some name servers never answer for AAAA. What is connected to is checked, so that nothing hangs on the other answer. */
const SECOND_ANSWER_MS_MAX = 200;

/** `servers`: other name servers than those of the machine; for tests. */
export function publicResolver(servers?: readonly string[]): ResolveHost {
  const resolver = new dns.Resolver({ timeout: QUERY_MS_MAX, tries: QUERY_TRIES });
  if (servers !== undefined) resolver.setServers(servers);
  return async (hostname) => {
    const answers = [resolver.resolve4(hostname), resolver.resolve6(hostname)].map((answer) => answer.catch(() => []));
    const both = Promise.all(answers).then((found) => found.flat());
    const quicker = await Promise.race(answers);
    const addresses = quicker.length === 0 ? await both : await Promise.race([both, later(quicker)]);
    if (addresses.length === 0) throw new HostUnknownError(hostname);
    return addresses;
  };
}

function later(addresses: string[]): Promise<string[]> {
  return setTimeout(SECOND_ANSWER_MS_MAX, addresses, { ref: false });
}

/** For hosts that the operator allows: as the machine itself finds them, /etc/hosts included. */
export const systemResolver: ResolveHost = async (hostname) => {
  const found = await dns.lookup(hostname, { all: true });
  return found.map(({ address }) => address);
};

export class HostUnknownError extends Error {
  constructor(hostname: string, cause?: unknown) {
    super(`No address for ${hostname}.`, { cause });
    this.name = 'HostUnknownError';
  }
}
