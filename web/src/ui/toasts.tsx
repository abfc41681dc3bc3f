import { useSyncExternalStore } from 'react'

/** Short notifications, also announced to screen readers. */
type Toast = { id: number; text: string }

const SHOWN_MS = 5_000
let toasts: readonly Toast[] = []
let count = 0
const listeners = new Set<() => void>()

function change(next: readonly Toast[]): void {
  toasts = next
  for (const listener of listeners) listener()
}

export function notify(text: string): void {
  const toast = { id: ++count, text }
  change([...toasts, toast])
  setTimeout(() => change(toasts.filter(one => one !== toast)), SHOWN_MS)
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
    setTimeout(() => change(toasts.filter(one => one.id !== id)), SHOWN_MS)
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
      {shown.map(({ id, text }) => (
        <div key={id} className="toast">
          {text}
        </div>
      ))}
    </div>
  )
}
