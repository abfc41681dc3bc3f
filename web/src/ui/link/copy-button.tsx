import { Button } from '@mantine/core'
import { notify } from '../toasts.tsx'

export function CopyButton({ text, children }: { text: string; children: string }) {
  const copy = async (): Promise<void> => {
    if (await copied(text)) notify('Copied.')
    else window.prompt('Copy it from here:', text)
  }
  return (
    <Button variant="default" onClick={() => void copy()}>
      {children}
    </Button>
  )
}

/** A browser lets pages copy over https and on localhost only. */
async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}
