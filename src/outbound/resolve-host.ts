/**
 * Resolves host names.
 *
 * Names from merchants are resolved with Node's own DNS client. `dns.lookup` would block one of the four threads of
 * Node's pool for as long as a name server takes, and with it decoding, password hashing and file access: four names on
 * a dead name server would stop them all.
 */
import { promises as dns } from 'node:dns';
import { setTimeout } from 'node:timers/promises';

/** Rejects if there are no addresses. */
export type ResolveHost = (hostname: string) => Promise<readonly string[]>;

/** Two tries of 1.5 s per name server, well within the time limit of a fetch. */
const QUERY_MS_MAX = 1_500;
const QUERY_TRIES = 2;
/**
 * How long to wait for the other of the A and AAAA responses after the first. Some name servers never respond to AAAA queries.
 * Connected addresses are checked, so nothing depends on the missing response.
 */
const SECOND_ANSWER_MS_MAX = 200;

/** `servers`: name servers instead of the machine's; for tests. */
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

/** Resolves allowed hosts as the machine does, including /etc/hosts. */
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
