import { relative } from 'node:path'
import type { TestEvent } from 'node:test/reporters'

/** A reporter that names each file with a failed test, so that they can be run once more by themselves. */
export default async function* failedFiles(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const named = new Set<string>()
  for await (const event of events) {
    if (event.type !== 'test:fail') continue
    const file = event.data.file?.split('?')[0]
    if (file === undefined || named.has(file) || !/\.(test|slow|long)\.ts$/.test(file)) continue
    named.add(file)
    yield `${relative(process.cwd(), file)}\n`
  }
}
