import { readFileSync } from 'node:fs'

/** The lines of code in a README, in their order, as one program. */
export function programOf(readme: string, language: string): string {
  const text = readFileSync(readme, 'utf8')
  return [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)]
    .filter(([, name]) => name === language)
    .map(([, , code = '']) => code)
    .join('\n')
}
