/** The aggregates whose commands both engines share, and the methods of the store that are derived from them. */
import type { AnyCommand, Command, Commands, Methods, Mode } from './command.ts';
import { people } from './people/people.ts';
import { policies } from './policies/policies.ts';
import { settings } from './settings/settings.ts';
import { taxonomy } from './taxonomy.ts';

export const AGGREGATES = { people, policies, settings, taxonomy };

type Aggregates = typeof AGGREGATES;

/** By which threads address a command: `people.addSession`. */
export type CommandName = {
  [Aggregate in keyof Aggregates]: `${Aggregate}.${keyof Aggregates[Aggregate] & string}`;
}[keyof Aggregates];

export type NamedCommand = (...args: never[]) => Promise<unknown>;

/** How an adapter runs a command. */
export type RunCommand = (command: AnyCommand, name: CommandName, args: never[]) => Promise<unknown>;

export function methodsOf<Aggregate extends keyof Aggregates>(
  aggregate: Aggregate,
  run: RunCommand,
): Methods<Aggregates[Aggregate]> {
  const methods = commandsOf(aggregate).map(([method, name, command]) => {
    return [method, (...args: never[]) => run(command, name, args)];
  });
  return Object.fromEntries(methods);
}

/** For a thread that runs the commands of one mode: each by its name. */
export function namedCommands<M extends Mode>(
  mode: M,
  run: (command: Command<M>, args: never[]) => Promise<unknown>,
): Record<CommandName, NamedCommand> {
  const all = Object.keys(AGGREGATES).flatMap((aggregate) => commandsOf(aggregate as keyof Aggregates));
  const ofMode = all.filter(([, , command]) => command.mode === mode) as [string, CommandName, Command<M>][];
  const named = ofMode.map(([, name, command]) => [name, (...args: never[]) => run(command, args)]);
  return Object.fromEntries(named);
}

function commandsOf(aggregate: keyof Aggregates): [method: string, name: CommandName, command: AnyCommand][] {
  const commands: Commands = AGGREGATES[aggregate];
  return Object.entries(commands).map(([method, command]) => [
    method,
    `${aggregate}.${method}` as CommandName,
    command,
  ]);
}
