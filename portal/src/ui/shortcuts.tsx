/** Keyboard shortcuts of the portal, and the dialog that lists them. */
import { Group, Kbd, Stack, Text } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { Dialog } from './dialog.tsx';

export interface Shortcut {
  /** One key, a sequence of keys ("g o"), or a key with Ctrl or Cmd ("mod+k"). */
  readonly keys: string;
  readonly label: string;
  /** Undefined for a key that works without it, and is only listed. */
  readonly run?: (event: KeyboardEvent) => void;
}

const SEQUENCE_MS_MAX = 1000;
const IS_MAC = /Mac|iPhone|iPad/.test(navigator.platform);
export const MOD = IS_MAC ? '⌘' : 'Ctrl';

/** The shortcuts of the shell and of the page. */
const active = new Set<{ readonly current: readonly Shortcut[] }>();

/** Plain keys work only outside of fields and dialogs. */
export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  const latest = useRef(shortcuts);
  latest.current = shortcuts;
  useEffect(() => {
    active.add(latest);
    let first = { key: '', atMs: 0 };
    const press = (event: KeyboardEvent) => {
      const key = event.key.toLowerCase();
      const isMod = event.ctrlKey || event.metaKey;
      if (event.altKey || (!isMod && (isTyping(event.target) || isDialogOpen()))) return;
      const isSequence = event.timeStamp - first.atMs < SEQUENCE_MS_MAX;
      const pressed = [isMod ? `mod+${key}` : key, ...(isSequence ? [`${first.key} ${key}`] : [])];
      first = { key: isMod ? '' : key, atMs: event.timeStamp };
      const found = latest.current.find(({ keys }) => pressed.includes(keys));
      if (found?.run === undefined) return;
      event.preventDefault();
      found.run(event);
    };
    window.addEventListener('keydown', press);
    return () => {
      active.delete(latest);
      window.removeEventListener('keydown', press);
    };
  }, []);
}

/** Focuses the search field of the page, if it has one. */
export function focusSearch(): void {
  document.querySelector<HTMLInputElement>('main input[type=search]')?.focus();
}

interface ShortcutListProps {
  readonly isOpen: boolean;
  readonly close: () => void;
}

export function ShortcutList({ isOpen, close }: ShortcutListProps) {
  const shortcuts = isOpen ? [...active].flatMap(({ current }) => current) : [];
  return (
    <Dialog isOpen={isOpen} close={close} title="Keyboard shortcuts">
      <Stack gap="xs">
        {shortcuts.map(({ keys, label }) => (
          <Group key={keys} justify="space-between" wrap="nowrap">
            <Text>{label}</Text>
            <Group gap={4} wrap="nowrap">
              {keys.split(/[ +]/).map((key) => (
                <Kbd key={key}>{key === 'mod' ? MOD : key.toUpperCase()}</Kbd>
              ))}
            </Group>
          </Group>
        ))}
      </Stack>
    </Dialog>
  );
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches('input:not([type=checkbox]), textarea, select'))
  );
}

function isDialogOpen(): boolean {
  return document.querySelector('[role=dialog], [role=menu]') !== null;
}
