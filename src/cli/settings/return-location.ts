/** offerbook return-location: adds, removes and lists the return locations of merchants. */
import type { Command } from 'commander';
import { addReturnLocation } from '../../operations/setup/add-return-location.ts';
import { listReturnLocations } from '../../operations/setup/list-settings.ts';
import { removeReturnLocation } from '../../operations/setup/remove-place.ts';
import { type EnvironmentChoice, environmentsOf, environmentsOption, finish, merchantOption } from '../options.ts';
import { type OutputOptions, print, type Shell } from '../shell.ts';
import { printable, table } from '../table.ts';
import { changeSetup, readSetup } from './setup-session.ts';

interface Options extends OutputOptions {
  readonly merchant: string;
  readonly env: EnvironmentChoice;
}

export function addReturnLocationCommands(program: Command, shell: Shell): void {
  const location = program.command('return-location').description("Add, remove and list merchants' return locations.");

  finish(
    location
      .command('add')
      .description('Add a return location to a merchant; refused if it exists.')
      .argument('<location-id>', 'id of the location, as the merchant uses it in calls')
      .addOption(merchantOption())
      .addOption(environmentsOption())
      .action((locationId: string, options: Options) => change(shell, 'added', locationId, options)),
    ['return-location add returns-east --merchant acme', 'return-location add returns-west --merchant acme --env test'],
  );

  finish(
    location
      .command('remove')
      .description("Remove a merchant's return location; refused while offers use it.")
      .argument('<location-id>', 'id of the location')
      .addOption(merchantOption())
      .addOption(environmentsOption())
      .action((locationId: string, options: Options) => change(shell, 'removed', locationId, options)),
    ['return-location remove returns-east --merchant acme'],
  );

  finish(
    location
      .command('list')
      .description("List a merchant's return locations.")
      .addOption(merchantOption())
      .addOption(environmentsOption())
      .action((options: Options) => list(shell, options)),
    ['return-location list --merchant acme', 'return-location list --merchant acme --env live --json'],
  );
}

async function change(shell: Shell, done: 'added' | 'removed', locationId: string, options: Options): Promise<void> {
  const target = { merchantId: options.merchant, environments: environmentsOf(options.env) };
  const { value } = await changeSetup(shell, { return_location_id: locationId }, (context, body) =>
    done === 'added' ? addReturnLocation(context, target, body) : removeReturnLocation(context, target, locationId),
  );
  const where = target.environments.join(' and ');
  print(shell, options, {
    json: { merchant_id: target.merchantId, environments: target.environments, return_location_id: value },
    lines: [`Return location ${printable(value)} of ${target.merchantId} was ${done} in ${where}.`],
  });
}

async function list(shell: Shell, options: Options): Promise<void> {
  const target = { merchantId: options.merchant, environments: environmentsOf(options.env) };
  const { value: accounts } = await readSetup(shell, (context) => listReturnLocations(context, target));
  const shown = accounts.map(({ environment, locationIds }) => {
    return [environment, locationIds.map((id) => ({ return_location_id: id }))] as const;
  });
  const rows = accounts.flatMap(({ environment, locationIds }) => locationIds.map((id) => [environment, id]));
  print(shell, options, {
    json: { merchant_id: target.merchantId, return_locations: Object.fromEntries(shown) },
    lines:
      rows.length === 0
        ? [`Merchant ${target.merchantId} has no return locations in ${target.environments.join(' or ')}.`]
        : table(['ENVIRONMENT', 'LOCATION'], rows),
  });
}
