/** Draws figures over time as SVG: stacked panels with one line per series. */

export interface Series {
  readonly name: string;
  readonly points: readonly { readonly seconds: number; readonly value: number }[];
}

export interface Panel {
  readonly title: string;
  readonly series: readonly Series[];
  /** Horizontal line for a limit or a target. */
  readonly mark?: { readonly value: number; readonly text: string };
}

const COLORS = ['#2186eb', '#d64545', '#3f9142', '#7b341e', '#52606d'];
const WIDTH = 900;
const PANEL_HEIGHT = 220;
const PANEL_GAP = 70;
const LEFT = 70;
const RIGHT = 20;
const TOP = 40;
const STEPS = 4;
const LEGEND_LEFT = 190;
const LEGEND_STEP = 150;

export function plotLines(panels: readonly Panel[]): string {
  const seconds_max = Math.max(1, ...panels.flatMap(({ series }) => series.flatMap(lastSecond)));
  const parts = panels.flatMap((panel, place) =>
    panelParts(panel, TOP + place * (PANEL_HEIGHT + PANEL_GAP), seconds_max),
  );
  const size = `width="${WIDTH}" height="${TOP + panels.length * (PANEL_HEIGHT + PANEL_GAP)}"`;
  const style = 'font-family="sans-serif" font-size="12" fill="#323f4b"';
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} ${style}>\n<rect ${size} fill="#fff"/>\n${parts.join('\n')}\n</svg>\n`;
}

function panelParts({ title, series, mark }: Panel, top: number, seconds_max: number): string[] {
  const values = series.flatMap(({ points }) => points.map(({ value }) => value));
  const most = Math.max(1, mark?.value ?? 0, ...values) * 1.05;
  const x = (seconds: number) => LEFT + ((WIDTH - LEFT - RIGHT) * seconds) / seconds_max;
  const y = (value: number) => top + PANEL_HEIGHT * (1 - value / most);
  const parts = [`<text x="${LEFT}" y="${top - 18}" font-weight="bold">${title}</text>`];
  for (let step = 0; step <= STEPS; step++) {
    const value = (most * step) / STEPS;
    parts.push(`<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(value)}" y2="${y(value)}" stroke="#e4e7eb"/>`);
    parts.push(`<text x="${LEFT - 8}" y="${y(value) + 4}" text-anchor="end">${label(value)}</text>`);
    const seconds = (seconds_max * step) / STEPS;
    parts.push(
      `<text x="${x(seconds)}" y="${top + PANEL_HEIGHT + 18}" text-anchor="middle">${seconds.toFixed(0)} s</text>`,
    );
  }
  if (mark !== undefined) {
    const line = `x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(mark.value)}" y2="${y(mark.value)}"`;
    parts.push(`<line ${line} stroke="#9aa5b1" stroke-dasharray="6 4"/>`);
    parts.push(`<text x="${WIDTH - RIGHT}" y="${y(mark.value) - 4}" text-anchor="end">${mark.text}</text>`);
  }
  for (const [place, { name, points }] of series.entries()) {
    const color = COLORS[place % COLORS.length];
    const path = points.map(({ seconds, value }) => `${x(seconds).toFixed(1)},${y(value).toFixed(1)}`).join(' ');
    parts.push(`<polyline points="${path}" fill="none" stroke="${color}" stroke-width="1.5"/>`);
    const legendX = LEFT + LEGEND_LEFT + place * LEGEND_STEP;
    parts.push(`<rect x="${legendX}" y="${top - 28}" width="12" height="12" fill="${color}"/>`);
    parts.push(`<text x="${legendX + 18}" y="${top - 18}">${name}</text>`);
  }
  return parts;
}

function lastSecond({ points }: Series): number {
  return points.at(-1)?.seconds ?? 0;
}

function label(value: number): string {
  return value >= 1000 ? `${(value / 1000).toFixed(value >= 10_000 ? 0 : 1)}k` : String(Math.round(value));
}
