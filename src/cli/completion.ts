/** offerbook completion and version: a script that completes commands and options in a shell, and the version. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Argument, type Command } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import type { CliCommand } from './options.ts';
import { type OutputOptions, print, type Shell } from './shell.ts';

const SHELLS = Object.freeze(['bash', 'zsh', 'fish'] as const);

export function addCompletionCommands(program: CliCommand, shell: Shell): void {
  program
    .command('completion')
    .description('Print a script that completes commands and options in your shell.')
    .addArgument(new Argument('<shell>', 'your shell').choices(SHELLS))
    .notes(
      'To load it in every new shell:',
      "  bash  echo 'source <(offerbook completion bash)' >> ~/.bashrc",
      "  zsh   echo 'source <(offerbook completion zsh)' >> ~/.zshrc",
      '  fish  offerbook completion fish > ~/.config/fish/completions/offerbook.fish',
    )
    .action((name: (typeof SHELLS)[number], options: OutputOptions) => {
      const script = name === 'fish' ? fishScript(program) : bashScript(program, name === 'zsh');
      print(shell, options, { json: { shell: name, script }, lines: [script] });
    })
    .examples('completion bash');

  program
    .command('version')
    .description('Print the version, and the commit in a git checkout.')
    .action((options: OutputOptions) => {
      const { version } = manifest;
      const commit = checkoutCommit(path.resolve(import.meta.dirname, '../..'));
      const lines = [commit === undefined ? version : `${version} (commit ${commit})`];
      print(shell, options, { json: { version, ...(commit === undefined ? {} : { commit }) }, lines });
    })
    .examples('version', 'version --json');
}

interface Level {
  /** Words of the command, such as `merchant add`; empty for the program itself. */
  readonly path: string;
  readonly commands: readonly Command[];
  readonly flags: readonly { readonly long: string; readonly description: string; readonly takesValue: boolean }[];
}

function levelsOf(command: Command, path = ''): Level[] {
  const commands = command.commands.filter((sub) => sub.name() !== 'help');
  const flags = command.options.map(({ long, description, required, optional }) => {
    return { long: long ?? '', description, takesValue: required || optional };
  });
  const below = commands.flatMap((sub) => levelsOf(sub, `${path} ${sub.name()}`.trim()));
  return [
    { path, commands, flags: [...flags, { long: '--help', description: 'show the help', takesValue: false }] },
    ...below,
  ];
}

/** zsh runs the same script through its bash emulation. */
function bashScript(program: CliCommand, isZsh: boolean): string {
  const levels = levelsOf(program);
  const paths = levels.slice(1).map(({ path }) => `'${path}'`);
  const words = levels.map(({ path, commands, flags }) => {
    const all = [...commands.map((command) => command.name()), ...flags.map(({ long }) => long)];
    return `    '${path}') words='${all.join(' ')}' ;;`;
  });
  return [
    ...(isZsh ? ['autoload -U +X compinit && compinit', 'autoload -U +X bashcompinit && bashcompinit'] : []),
    '_offerbook() {',
    "  local path='' next word words=''",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is bash
    '  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is bash
    '    next="${path:+$path }$word"',
    `    case "$next" in ${paths.join('|')}) path="$next" ;; esac`,
    '  done',
    '  case "$path" in',
    ...words,
    '  esac',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is bash
    '  COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))',
    '}',
    'complete -o default -F _offerbook offerbook',
  ].join('\n');
}

function fishScript(program: Command): string {
  const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const lines = levelsOf(program).flatMap(({ path, commands, flags }) => {
    const names = commands.map((command) => command.name());
    const seen =
      path === '' ? '' : `__fish_seen_subcommand_from ${path.split(' ').join('; and __fish_seen_subcommand_from ')}`;
    const none = names.length === 0 ? '' : `not __fish_seen_subcommand_from ${names.join(' ')}`;
    const when = [seen, none].filter((part) => part !== '').join('; and ');
    const condition = when === '' ? '' : ` -n ${quoted(when)}`;
    return [
      ...commands.map(
        (command) => `complete -c offerbook -f${condition} -a ${command.name()} -d ${quoted(command.description())}`,
      ),
      ...flags.map(({ long, description, takesValue }) => {
        return `complete -c offerbook${condition} -l ${long.slice(2)}${takesValue ? ' -r' : ''} -d ${quoted(description)}`;
      }),
    ];
  });
  return lines.join('\n');
}

/**
 * Finds the commit of the git checkout that the program runs from, without running git. Returns its first characters; undefined outside a
 * checkout.
 */
export function checkoutCommit(root: string): string | undefined {
  const folder = gitFolder(root);
  const head = read(folder, 'HEAD');
  const [, ref] = /^ref: (\S+)/.exec(head) ?? [];
  const commit = ref === undefined ? head : commitOf(path.resolve(folder, read(folder, 'commondir')), ref);
  return /^[0-9a-f]{40}/.exec(commit)?.[0].slice(0, 12);
}

/** Returns the git folder. In a worktree, `.git` is a file that names it. */
function gitFolder(root: string): string {
  const [, folder] = /^gitdir: (.+)/.exec(read(root, '.git')) ?? [];
  return path.resolve(root, folder ?? '.git');
}

function commitOf(folder: string, ref: string): string {
  const packed = () => read(folder, 'packed-refs').split('\n');
  return read(folder, ref) || (packed().find((line) => line.endsWith(` ${ref}`)) ?? '');
}

function read(folder: string, name: string): string {
  try {
    return readFileSync(path.join(folder, name), 'utf8').trim();
  } catch {
    return '';
  }
}
