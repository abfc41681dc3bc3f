/**
 * Adds all of them to the list. `push(...more)` passes each as an argument on the stack, which overflows with some ten
 * thousand; the linter refuses it.
 */
export function addAll<Item>(list: Item[], more: Iterable<Item>): void {
  for (const item of more) list.push(item)
}

/** `Math.max` of any number of them; -Infinity for none. */
export function largestOf(numbers: Iterable<number>): number {
  let largest = -Infinity
  for (const number of numbers) largest = Math.max(largest, number)
  return largest
}

/** `Math.min` of any number of them; Infinity for none. */
export function smallestOf(numbers: Iterable<number>): number {
  let smallest = Infinity
  for (const number of numbers) smallest = Math.min(smallest, number)
  return smallest
}
