/** Addresses of the server: where it listens, and where clients reach it. */
import type { Settings } from '../../config/settings.ts';

/** Hosts that mean "every address of this machine", and one of them. */
const ANY_HOST: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '[::1]' };

export function listeningUrl({ host, port, tlsCert }: Settings): string {
  return `${tlsCert === undefined ? 'http' : 'https'}://${ANY_HOST[host] ?? host}:${port}`;
}

export function reachableUrl(settings: Settings): string {
  return settings.publicUrl ?? listeningUrl(settings);
}
