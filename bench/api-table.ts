/** The table of `npm run bench:api`: one row for each call, with Offerbook alongside bare Fastify. */
import type { ClientsResult } from './clients.ts';
import { tooNoisy } from './machine.ts';
import { median } from './median.ts';
import { shown } from './report.ts';

/** The medians of the turns of one server. */
export interface ServerFigures {
  readonly rate: number;
  readonly p99Ms: number;
  /** CPU time for each request; NaN if unknown. */
  readonly mainUs: number;
  readonly serverUs: number;
  readonly clientUs: number;
  readonly clientCores: number;
  /** In all turns, by status. */
  readonly refused: Readonly<Record<string, number>>;
  readonly lost: number;
  /** Why rate and p99 do not count. */
  readonly noisy: string | undefined;
}

export interface ApiRow {
  readonly title: string;
  readonly fastify: ServerFigures;
  readonly offerbook: ServerFigures;
}

export const API_COLUMNS: readonly string[] = [
  'call',
  'Fastify, requests/s',
  'CPU, us',
  'Offerbook, requests/s',
  'share',
  'CPU main thread, us',
  'CPU all threads, us',
  'p99, ms',
  'refused',
  'load client CPU',
  'machine',
];

/** Clients that use more of a core than this may be the bottleneck themselves. */
const CLIENT_CORES_MAX = 0.8;

/** Uses the turns in which the machine was quiet; if these are fewer than half of them, the figures count as noisy. */
export function figuresOf(turns: readonly ClientsResult[]): ServerFigures {
  const quiet = turns.filter(({ noise }) => tooNoisy(noise) === undefined);
  const isNoisy = quiet.length * 2 < turns.length;
  const used = isNoisy ? turns : quiet;
  const middle = (of: (turn: ClientsResult) => number | null) => median(used.map((turn) => of(turn) ?? Number.NaN));
  const refused: Record<string, number> = {};
  for (const turn of turns) {
    for (const [status, count] of Object.entries(turn.refused)) refused[status] = (refused[status] ?? 0) + count;
  }
  const noise = {
    stolen: middle((turn) => turn.noise?.stolen ?? 0),
    others: middle((turn) => turn.noise?.others ?? 0),
  };
  return {
    rate: middle((turn) => turn.takenPerSecond),
    p99Ms: middle((turn) => turn.takenP99Ms),
    mainUs: middle((turn) => turn.mainUs),
    serverUs: middle((turn) => turn.serverUs),
    clientUs: middle((turn) => turn.clientUs),
    clientCores: middle((turn) => turn.clientCores),
    refused,
    lost: turns.reduce((sum, { lost }) => sum + lost, 0),
    noisy: isNoisy ? (tooNoisy(noise) ?? 'noisy turns') : undefined,
  };
}

/** CPU times of a noisy machine are marked with `~`. So are other figures if `showsNoisy`, and left out if not. */
export function apiCells({ title, fastify, offerbook }: ApiRow, showsNoisy: boolean): readonly string[] {
  const noisy = offerbook.noisy ?? fastify.noisy;
  const mark = noisy === undefined ? '' : '~';
  const timed = (text: string) => (noisy === undefined || showsNoisy ? mark + text : '-');
  const cpu = (us: number) => (Number.isNaN(us) ? '-' : mark + us.toFixed(0));
  const { clientCores, clientUs } = offerbook;
  const failures = [...failuresOf(offerbook, ''), ...failuresOf(fastify, 'Fastify ')];
  return [
    title,
    timed(shown(fastify.rate, 0)),
    cpu(fastify.serverUs),
    timed(shown(offerbook.rate, 0)),
    timed((offerbook.rate / fastify.rate).toFixed(2)),
    cpu(offerbook.mainUs),
    cpu(offerbook.serverUs),
    timed(offerbook.p99Ms.toFixed(1)),
    failures.join(', ') || '0',
    `${clientUs.toFixed(0)} us, ${clientCores.toFixed(2)} cores`,
    noisy === undefined
      ? clientCores > CLIENT_CORES_MAX
        ? 'the client was the limit'
        : 'quiet'
      : `too noisy: ${noisy}`,
  ];
}

function failuresOf({ refused, lost }: ServerFigures, name: string): string[] {
  const texts = Object.entries(refused).map(([status, count]) => `${name}${count} (${status})`);
  return lost > 0 ? [...texts, `${name}${lost} connections closed`] : texts;
}
