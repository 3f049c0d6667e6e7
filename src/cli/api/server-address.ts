/** Finds the server's URLs: those of the server that runs on the data folder, or those that the settings describe. */
import type { Settings } from '../../config/settings.ts';
import { runningServer } from '../../store/open-store.ts';

/** Hosts that mean "every address of this machine", each with an address to use instead. */
const ANY_HOST: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

export async function listeningUrl(settings: Settings): Promise<string> {
  return (await runningServer(settings))?.url ?? urlOf(settings);
}

export async function reachableUrl(settings: Settings): Promise<string> {
  return settings.publicUrl ?? (await runningServer(settings))?.publicUrl ?? urlOf(settings);
}

function urlOf({ host, port, tlsCert }: Settings): string {
  const address = ANY_HOST[host] ?? host;
  const name = address.includes(':') ? `[${address}]` : address;
  return `${tlsCert === undefined ? 'http' : 'https'}://${name}:${port}`;
}
