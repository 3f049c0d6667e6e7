/**
 * In charge of the hosts that the operator lets past the address check, for tests and intranets: `host` (any port) or
 * `host:port`. They are matched by name as the address spells it, so that a public name which points into the network
 * stays refused.
 */
export class AllowedHosts {
  readonly #hosts: ReadonlySet<string>;

  constructor(hosts: readonly string[] = []) {
    this.#hosts = new Set(hosts.map(normalized));
  }

  /** `hostname` with or without brackets, as URL and connector spell it. */
  has(hostname: string, port: number): boolean {
    if (this.#hosts.size === 0) return false;
    const bare = hostname.replace(/^\[|\]$/g, '').toLowerCase();
    return this.#hosts.has(bare) || this.#hosts.has(`${bare} ${port}`);
  }
}

/** True for what the setting may contain. */
export function isAllowedHostEntry(entry: string): boolean {
  return URL.canParse(`http://${entry}/`) && /^(?:\[[0-9a-f:.]+\]|[^\s/?#@:[\]]+)(?::\d+)?$/i.test(entry);
}

function normalized(entry: string): string {
  if (!isAllowedHostEntry(entry)) throw new Error(`Not a host or host:port: ${entry}`);
  const { hostname } = new URL(`http://${entry}/`);
  const bare = hostname.replace(/^\[|\]$/g, '');
  // From the text: URL leaves port 80 out.
  const port = /:(\d+)$/.exec(entry.replace(/^\[[^\]]*\]/, ''))?.[1];
  return port === undefined ? bare : `${bare} ${Number(port)}`;
}
