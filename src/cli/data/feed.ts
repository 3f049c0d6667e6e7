/** offerbook feed: writes the live offers of the storefront as a feed for a search engine or a shopping agent. */
import path from 'node:path';
import { Argument, Option } from 'commander';
import { readSettings, SettingError } from '../../config/settings.ts';
import { ENVIRONMENTS, type Environment } from '../../domain/account.ts';
import { compilePolicies } from '../../domain/review/policies.ts';
import { acpMetadata } from '../../domain/storefront/feeds/acp.ts';
import { LEFT_OUT, type LeftOut } from '../../domain/storefront/feeds/feed.ts';
import { FEED_FORMATS, type FeedFormatName } from '../../domain/vocabulary/file-types.ts';
import { type FeedCounts, feedFormat, feedTexts } from '../../operations/storefront/write-feed.ts';
import { openStoreAlongside } from '../../store/open-store.ts';
import { STOREFRONT_ACCOUNT, STOREFRONT_KIND } from '../../store/port/storefront.ts';
import { writeChunks } from '../chunk-file.ts';
import type { CliCommand } from '../options.ts';
import { type OutputOptions, print, type Shell } from '../shell.ts';
import { stoppable } from '../stoppable.ts';
import { counted, printable } from '../table.ts';
import { STANDARD_STREAM } from './export-file.ts';

/** Between two leases, the projection is due for less than a second. */
const DUE_MS_MAX = 5_000;

interface FeedOptions extends OutputOptions {
  readonly env: Environment;
}

export function addFeedCommand(program: CliCommand, shell: Shell): void {
  program
    .command('feed')
    .description(
      'Write the live offers of the storefront as a product feed, even while a server is running. Links need ' +
        'STOREFRONT_URL, prices CURRENCY. See docs/reference/feeds.md for what each format contains.',
    )
    .addArgument(new Argument('<format>', 'format of the feed').choices(FEED_FORMATS))
    .argument(
      '<file>',
      'file to write, compressed if its name ends in .gz, "-" for standard output; an existing file is not overwritten. ' +
        'For acp, metadata.json is written to the same folder',
    )
    .addOption(new Option('--env <environment>', 'environment').choices(ENVIRONMENTS).default('live'))
    .action((format: FeedFormatName, file: string, options: FeedOptions) => writeFeed(shell, format, file, options))
    .examples(
      'feed google-xml google.xml.gz',
      'feed google-tsv - | gzip > google.tsv.gz',
      'feed acp acp/products.jsonl',
    );
}

async function writeFeed(shell: Shell, format: FeedFormatName, out: string, options: FeedOptions): Promise<void> {
  const settings = readSettings(shell.variables);
  const { currency, storefront, storefrontUrl } = settings;
  if (storefrontUrl === undefined)
    throw new SettingError('STOREFRONT_URL must be set: a feed links to your storefront');
  const isStandard = out === STANDARD_STREAM;
  if (isStandard) shell.needWholeOutput('Standard output was closed early: the feed is incomplete.');
  const counts: FeedCounts = { products: 0, offers: 0, leftOut: {} };
  await using opened = new AsyncDisposableStack();
  const {
    storefront: store,
    work,
    policies,
  } = opened.adopt(await openStoreAlongside(settings), (each) => each.close());
  // A platform removes what is not in a feed, so a feed without offers would empty the shop.
  if (storefront === 'off' || (await store.readShopFeed(options.env)) === undefined) {
    throw new SettingError('The feed has no offers yet: set STOREFRONT to on, start the server, and try again');
  }
  const isKept = storefront === 'on' || (await work.isWorkAttended(STOREFRONT_KIND, STOREFRONT_ACCOUNT, DUE_MS_MAX));
  if (!isKept) {
    throw new SettingError(
      'Set STOREFRONT to on, or start a server that has it on: the stored feed may be out of date',
    );
  }
  const { rankOrder } = compilePolicies(await policies.listPolicies());
  const texts = feedTexts(store, options.env, feedFormat(format, { currency, storefrontUrl }), counts, rankOrder);
  const write = (stopped?: AbortSignal) => writeChunks(shell, { out, what: 'The feed', stopped }, texts);
  // A blocked pipe would keep the process from handling signals, so signals end the process directly.
  await (isStandard ? write() : stoppable(() => 'Stopped; no feed was written.', write));
  if (format === 'acp' && !isStandard) {
    const metadata = acpMetadata(`offerbook-${options.env}`, Date.now());
    await writeChunks(shell, { out: path.join(path.dirname(out), 'metadata.json'), what: 'The metadata' }, [metadata]);
  }
  const { products, offers, leftOut } = counts;
  // Prints to standard error if standard output holds the feed itself.
  print(isStandard ? { ...shell, out: shell.err } : shell, options, {
    json: { file: out, format, products, offers, left_out: leftOut },
    lines: [
      `Wrote ${counted(offers, 'offer')} of ${counted(products, 'product')} to ${isStandard ? 'standard output' : printable(out)}.`,
      ...Object.entries(leftOut).map(([reason, count]) => `Left out ${count}: ${LEFT_OUT[reason as LeftOut]}.`),
    ],
  });
}
