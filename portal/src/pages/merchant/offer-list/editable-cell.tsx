/**
 * Cell of the offer list whose value is edited in place: Tab saves it and opens the next cell, Enter saves it, Esc undoes it. The new value is
 * shown at once; a problem is shown next to the cell, with what was typed.
 */
import { Button, Group, Popover, Stack, Text, UnstyledButton } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ComponentType, type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { onlyIf } from '../../../api/client.ts';
import { type ListedOffer, showInLists } from '../../../api/offers.ts';
import { whenOnline } from '../../../api/offline.ts';
import { ApiError } from '../../../api/problem.ts';
import { useEnvironment } from '../../../ui/environment.ts';
import { inPageWords } from '../../../ui/forms/page-words.ts';
import { useUnsaved } from '../../../ui/forms/unsaved.tsx';
import classes from './offer-list.module.css';

type Row = Partial<Pick<ListedOffer, 'price' | 'quantity'>>;

/** A new value, with what the list shows for it. */
export interface ListedValue {
  readonly row: Row;
}

/** Reloads the list when no cell is edited any more, so that no row moves while the user types. */
export interface Edits {
  readonly open: () => void;
  readonly close: () => void;
  readonly noteSaved: () => void;
}

export function useEdits(): Edits {
  const environment = useEnvironment();
  const queryClient = useQueryClient();
  const state = useRef({ open: 0, isSaved: false });
  return {
    open: () => {
      state.current.open += 1;
    },
    close: () => {
      state.current.open -= 1;
      if (state.current.open > 0 || !state.current.isSaved) return;
      state.current.isSaved = false;
      void queryClient.invalidateQueries({ queryKey: ['offers', environment] });
    },
    noteSaved: () => {
      state.current.isSaved = true;
    },
  };
}

export interface CellProps {
  readonly offer: ListedOffer;
  readonly edits: Edits;
}

export interface FieldsProps<Part, Value> {
  readonly offer: ListedOffer;
  readonly reading: Promise<Part>;
  /** What was typed before. */
  readonly edited: Value | undefined;
  /** Undefined if nothing is changed. */
  readonly setEdited: (value: Value | undefined) => void;
}

type Etagged = { readonly etag: string | null } | null;

interface EditableCellProps<Part extends Etagged, Value extends ListedValue> extends CellProps {
  readonly name: string;
  readonly text: (row: Pick<ListedOffer, 'price' | 'quantity'>) => string;
  /** Whether the fields are below the cell instead of in it. */
  readonly isBelow?: boolean;
  readonly read: () => Promise<Part>;
  /** What the list shows for the stored part. */
  readonly stored: (part: Part) => Row;
  readonly doubt?: (value: Value, part: Part) => string | undefined;
  readonly write: (value: Value, part: Part, header: ReturnType<typeof onlyIf>) => Promise<unknown>;
  readonly Fields: ComponentType<FieldsProps<Part, Value>>;
}

/** The value was changed elsewhere, or may be a mistake. It can be saved over this part. */
class Refused<Part> extends Error {
  readonly part: Part;

  constructor(message: string, part: Part) {
    super(message);
    this.part = part;
  }
}

interface Sent<Part, Value> {
  readonly value: Value;
  /** The part over which the user decided to save. */
  readonly over?: Part;
}

export function EditableCell<Part extends Etagged, Value extends ListedValue>(cell: EditableCellProps<Part, Value>) {
  const { offer, edits, name, text, isBelow = false, read, stored, doubt, write, Fields } = cell;
  const environment = useEnvironment();
  const queryClient = useQueryClient();
  const [reading, setReading] = useState<Promise<Part>>();
  const edited = useRef<Value>(undefined);
  const button = useRef<HTMLButtonElement>(null);
  const takesFocus = useRef(false);
  const isShown = useRef(true);
  // The field is left once more when it disappears.
  const isOpen = useRef(false);
  const show = (row: Row) => showInLists(queryClient, environment, offer.sku, row);
  const refuse = (part: Part) => new Refused(`Changed elsewhere: now ${text({ ...offer, ...stored(part) })}.`, part);

  const saving = useMutation({
    mutationFn: async ({ value, over }: Sent<Part, Value>) => {
      // The query below would wait too, but unseen.
      await whenOnline();
      const part = over === undefined ? await (reading ?? read()) : over;
      if (over === undefined) {
        const now = { ...offer, ...stored(part) };
        if (now.price !== offer.price || now.quantity !== offer.quantity) throw refuse(part);
        const question = doubt?.(value, part);
        if (question !== undefined) throw new Refused(question, part);
      }
      try {
        await write(value, part, onlyIf(part?.etag ?? null));
      } catch (error) {
        if (error instanceof ApiError && error.has('precondition_failed')) throw refuse(await read());
        throw error;
      }
    },
    onSuccess: (_answer, { value }) => {
      edited.current = undefined;
      show(value.row);
      edits.noteSaved();
    },
    onError: (error) => {
      // Undo then shows the stored value, and Edit starts from it.
      if (error instanceof Refused) show(stored(error.part as Part));
      if (isShown.current) return;
      notifications.show({ message: `${name} of ${offer.sku} is not saved. ${messageOf(error)}`, color: 'red' });
    },
  });
  const isTyping = reading !== undefined;
  const isActive = isTyping || saving.isPending || saving.isError;
  const { open, close } = edits;
  // biome-ignore lint/correctness/useExhaustiveDependencies: counts this cell once while it is active.
  useEffect(() => {
    if (!isActive) return;
    open();
    return close;
  }, [isActive]);
  useUnsaved(isActive);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  useEffect(() => {
    if (isTyping || !takesFocus.current) return;
    takesFocus.current = false;
    button.current?.focus();
  });

  const begin = () => {
    if (saving.isPending) return;
    const part = read();
    // A failure is shown when the value is saved.
    part.catch(() => undefined);
    isOpen.current = true;
    setReading(part);
  };
  const undo = () => {
    isOpen.current = false;
    edited.current = undefined;
    setReading(undefined);
    saving.reset();
  };
  const submit = () => {
    const value = edited.current;
    if (!isOpen.current) return;
    if (value === undefined) return undo();
    isOpen.current = false;
    saving.mutate({ value });
    setReading(undefined);
  };
  const sent = saving.isPending || saving.isError ? saving.variables?.value : undefined;
  const form = reading && (
    <CellForm
      submit={submit}
      leave={(how) => {
        takesFocus.current = true;
        if (how === 'undo') undo();
      }}
    >
      <Fields
        offer={offer}
        reading={reading}
        edited={edited.current}
        setEdited={(value) => {
          edited.current = value;
        }}
      />
    </CellForm>
  );
  return (
    <div className={classes.cell} data-cell data-typing={isTyping || undefined}>
      {isTyping && !isBelow ? (
        <div className={classes.field}>{form}</div>
      ) : (
        <UnstyledButton
          ref={button}
          className={classes.value}
          fz="inherit"
          title={`Edit ${name.toLowerCase()}`}
          data-saving={saving.isPending || undefined}
          data-refused={saving.isError || undefined}
          onClick={begin}
        >
          {text({ ...offer, ...sent?.row })}
        </UnstyledButton>
      )}
      {isTyping && isBelow && <Below label={`${name} of ${offer.sku}`}>{form}</Below>}
      {saving.isError && !isTyping && (
        <Below label={`${name} of ${offer.sku} is not saved`} role="alert">
          <Stack gap="xs" maw={280}>
            <Text size="sm">{messageOf(saving.error)}</Text>
            <Group gap="xs">
              {saving.error instanceof Refused && sent !== undefined && (
                <Button
                  size="compact-sm"
                  variant="default"
                  onClick={() => saving.mutate({ value: sent, over: (saving.error as unknown as Refused<Part>).part })}
                >
                  Save {text({ ...offer, ...sent.row })}
                </Button>
              )}
              <Button size="compact-sm" variant="default" onClick={begin}>
                Edit
              </Button>
              <Button size="compact-sm" variant="subtle" onClick={undo}>
                Undo
              </Button>
            </Group>
          </Stack>
        </Below>
      )}
    </div>
  );
}

function messageOf(error: Error): string {
  return (inPageWords(error) ?? error).message;
}

interface BelowProps {
  readonly label: string;
  readonly role?: 'alert' | 'group';
  readonly children: ReactNode;
}

function Below({ label, role = 'group', children }: BelowProps) {
  return (
    <Popover opened position="bottom-end" withArrow shadow="md" withRoles={false}>
      <Popover.Target>
        <span className={classes.anchor} />
      </Popover.Target>
      <Popover.Dropdown role={role} aria-label={label}>
        {children}
      </Popover.Dropdown>
    </Popover>
  );
}

interface CellFormProps {
  readonly submit: () => void;
  /** Called before Enter saves, and when Esc undoes, because the cell then takes the focus. */
  readonly leave: (how: 'save' | 'undo') => void;
  readonly children: ReactNode;
}

function CellForm({ submit, leave, children }: CellFormProps) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => focusFirst(form.current), []);
  const press = (event: KeyboardEvent<HTMLFormElement>) => {
    const { currentTarget: fields, target, key, shiftKey } = event;
    if (key === 'Escape') leave('undo');
    if (key === 'Enter' && target instanceof HTMLInputElement) {
      event.preventDefault();
      if (!fields.reportValidity()) return;
      leave('save');
      fields.requestSubmit();
    }
    if (key !== 'Tab') return;
    const step = shiftKey ? -1 : 1;
    const controls = [...fields.querySelectorAll<HTMLElement>('input, button')];
    if (controls[controls.indexOf(target as HTMLElement) + step] !== undefined) return;
    if (!fields.reportValidity()) return event.preventDefault();
    const next = cellAfter(step);
    if (next === undefined) return;
    event.preventDefault();
    fields.requestSubmit();
    next.click();
  };
  return (
    <form
      ref={form}
      onKeyDown={press}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
      onBlur={({ currentTarget, relatedTarget }) => {
        // Another window may have taken the focus: the user comes back to the field.
        if (document.hasFocus() && !currentTarget.contains(relatedTarget)) currentTarget.requestSubmit();
      }}
    >
      {children}
    </form>
  );
}

/** Fields that arrive later call this again. */
export function focusFirst(fields: HTMLElement | null): void {
  const first = fields?.querySelector('input');
  first?.focus();
  first?.select();
}

/** Returns the button of the cell that comes after the one that is edited, or before it. */
function cellAfter(step: 1 | -1): HTMLElement | undefined {
  const cells = [...document.querySelectorAll('[data-cell]')];
  const at = cells.findIndex((cell) => cell.hasAttribute('data-typing'));
  return cells[at + step]?.querySelector('button') ?? undefined;
}
