import { useSyncExternalStore } from 'react'

/** Short notifications, also announced to screen readers. */
type Toast = { id: number; text: string; undo?: () => void }

const SHOWN_MS = 5_000
const UNDO_MS = 10_000
let toasts: readonly Toast[] = []
let count = 0
const listeners = new Set<() => void>()

function change(next: readonly Toast[]): void {
  toasts = next
  for (const listener of listeners) listener()
}

export function notify(text: string): void {
  show({ id: ++count, text }, SHOWN_MS)
}

/** Tells of an act that can be undone because nobody outside has heard of it; the button stays for ten seconds. */
export function notifyWithUndo(text: string, undo: () => void): void {
  show({ id: ++count, text, undo }, UNDO_MS)
}

function show(toast: Toast, ms: number): void {
  change([...toasts, toast])
  setTimeout(() => drop(toast.id), ms)
}

function drop(id: number): void {
  change(toasts.filter(one => one.id !== id))
}

/** Stays while something long is done, on every page that is opened meanwhile, and ends with its last words. */
export async function notifyWhile(
  first: string,
  act: (say: (text: string) => void) => Promise<string>,
): Promise<void> {
  const id = ++count
  const say = (text: string): void => change([...toasts.filter(one => one.id !== id), { id, text }])
  say(first)
  try {
    say(await act(say))
  } finally {
    setTimeout(() => drop(id), SHOWN_MS)
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function ToastArea() {
  const shown = useSyncExternalStore(subscribe, () => toasts)
  return (
    <div className="toasts" role="status" aria-live="polite">
      {shown.map(({ id, text, undo }) => (
        <div key={id} className="toast">
          {text}
          {undo !== undefined && (
            <button
              type="button"
              className="toast-undo"
              onClick={() => {
                drop(id)
                undo()
              }}
            >
              Undo
            </button>
          )}
        </div>
      ))}
    </div>
  )
}
