/** Draws requests per second of a run as SVG bars, one group per call. */

interface Bar {
  readonly call: string;
  readonly server: string;
  readonly requestsPerSecond: number;
  readonly ratio: number;
}

const COLORS: Readonly<Record<string, string>> = {
  'node:http': '#9aa5b1',
  Fastify: '#52606d',
  Offerbook: '#2186eb',
  SQLite: '#52606d',
  PostgreSQL: '#2186eb',
  driver: '#9aa5b1',
};
/** Bars that show their ratio to another bar of the same call. */
const RATED: ReadonlySet<string> = new Set(['Offerbook', 'PostgreSQL']);
const BAR = 26;
const GROUP_GAP = 34;
const HEIGHT = 260;
const LEFT = 60;
const TOP = 40;

export function plotSvg(bars: readonly Bar[]): string {
  const calls = [...new Set(bars.map((bar) => bar.call))];
  const servers = [...new Set(bars.map((bar) => bar.server))];
  const most = Math.max(...bars.map((bar) => bar.requestsPerSecond));
  const groupWidth = servers.length * BAR + GROUP_GAP;
  const width = LEFT + calls.length * groupWidth + 20;
  const parts: string[] = [];
  for (let share = 0; share <= 4; share++) {
    const y = TOP + HEIGHT - (HEIGHT * share) / 4;
    parts.push(`<line x1="${LEFT}" x2="${width}" y1="${y}" y2="${y}" stroke="#e4e7eb"/>`);
    parts.push(
      `<text x="${LEFT - 8}" y="${y + 4}" text-anchor="end">${Math.round((most * share) / 4 / 100) / 10}k</text>`,
    );
  }
  for (const bar of bars) {
    const x = LEFT + calls.indexOf(bar.call) * groupWidth + servers.indexOf(bar.server) * BAR + GROUP_GAP / 2;
    const height = (HEIGHT * bar.requestsPerSecond) / most;
    const y = TOP + HEIGHT - height;
    parts.push(
      `<rect x="${x}" y="${y}" width="${BAR - 4}" height="${height}" fill="${COLORS[bar.server] ?? '#888'}"/>`,
    );
    if (RATED.has(bar.server)) {
      parts.push(`<text x="${x + BAR / 2 - 2}" y="${y - 5}" text-anchor="middle">${bar.ratio.toFixed(2)}</text>`);
    }
  }
  for (const [index, call] of calls.entries()) {
    const x = LEFT + (index + 0.5) * groupWidth;
    parts.push(`<text x="${x}" y="${TOP + HEIGHT + 18}" text-anchor="middle">${call}</text>`);
  }
  for (const [index, server] of servers.entries()) {
    const x = LEFT + index * 110;
    parts.push(`<rect x="${x}" y="12" width="12" height="12" fill="${COLORS[server] ?? '#888'}"/>`);
    parts.push(`<text x="${x + 18}" y="22">${server}</text>`);
  }
  const size = `width="${width}" height="${TOP + HEIGHT + 30}"`;
  const style = 'font-family="sans-serif" font-size="12" fill="#323f4b"';
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} ${style}>\n<rect ${size} fill="#fff"/>\n${parts.join('\n')}\n</svg>\n`;
}
