import type { BackStep, Step } from './move.rules.ts'

/** What an operator reads while a school moves. */
export const STEP_TEXTS: Readonly<Record<Step | BackStep, string>> = {
  guard: 'Preparing the fence in both cells',
  publish: 'Publishing the rows of the school',
  subscribe: 'Subscribing to them in the new cell',
  catch_up: 'Copying',
  pause: 'Pausing the school',
  verify: 'Comparing both sides',
  leave: 'Taking the school out of the old cell',
  arrive: 'Letting it in at the new cell',
  route: 'Sending its callers there',
  audit: 'Checking the books on both sides',
  unsubscribe: 'Ending the replication',
  stash: 'Putting the old rows aside',
  release: 'Removing the fence',
  undo: 'Going back: the school stays where it is',
}

export const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`
