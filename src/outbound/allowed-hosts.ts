/** Decides whether a host is public, private, or allowed by the operator although it may be private. */
import { isPrivateHost } from './safe-address.ts';

/** A URL, or the target of a connection. */
export interface Target {
  readonly hostname: string;
  readonly port: string;
  readonly protocol: string;
}

/**
 * Hosts that the operator exempts from the address check, for tests and intranets: `host` (any port) or `host:port`. They match
 * the name in the URL, so that a public name that resolves into the private network stays refused.
 */
export class AllowedHosts {
  readonly #hosts: ReadonlySet<string>;

  constructor(hosts: readonly string[] = []) {
    this.#hosts = new Set(hosts.map(normalized));
  }

  /** Returns what is known without a lookup. A `public` name may still resolve to a private address. */
  kindOf({ hostname, port, protocol }: Target): 'allowed' | 'private' | 'public' {
    if (this.has(hostname, Number(port || (protocol === 'https:' ? 443 : 80)))) return 'allowed';
    return isPrivateHost(hostname) ? 'private' : 'public';
  }

  /** `hostname` with or without brackets, as URL and connector write it. */
  has(hostname: string, port: number): boolean {
    if (this.#hosts.size === 0) return false;
    const bare = hostname.replace(/^\[|\]$/g, '').toLowerCase();
    return this.#hosts.has(bare) || this.#hosts.has(`${bare} ${port}`);
  }
}

/** True for valid entries of the setting. */
export function isAllowedHostEntry(entry: string): boolean {
  return URL.canParse(`http://${entry}/`) && /^(?:\[[0-9a-f:.]+\]|[^\s/?#@:[\]]+)(?::\d+)?$/i.test(entry);
}

function normalized(entry: string): string {
  if (!isAllowedHostEntry(entry)) throw new Error(`Not a host or host:port: ${entry}`);
  const { hostname } = new URL(`http://${entry}/`);
  const bare = hostname.replace(/^\[|\]$/g, '');
  // Read from the text, because URL drops port 80.
  const port = /:(\d+)$/.exec(entry.replace(/^\[[^\]]*\]/, ''))?.[1];
  return port === undefined ? bare : `${bare} ${Number(port)}`;
}
