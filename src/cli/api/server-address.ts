/** Builds the server's URL for clients from its settings. */
import type { Settings } from '../../config/settings.ts';

/** Hosts that mean "every address of this machine", each with an address to use instead. */
const ANY_HOST: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '[::1]' };

export function listeningUrl({ host, port, tlsCert }: Settings): string {
  return `${tlsCert === undefined ? 'http' : 'https'}://${ANY_HOST[host] ?? host}:${port}`;
}

export function reachableUrl(settings: Settings): string {
  return settings.publicUrl ?? listeningUrl(settings);
}
