/** Does each, one after the other; one that fails does not stop the rest; failures are thrown at the end. */
export async function forEachSettled<Item>(
  items: Iterable<Item>,
  act: (item: Item) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = []
  for (const item of items) {
    try {
      await act(item)
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}
