import { settings } from '../../src/config.ts'

/** README's table of the environment variables, made from the code that reads them. */
export function settingsTable(): string {
  const rows = Object.entries(settings).map(([name, setting]) => {
    const fallback = 'fallback' in setting ? `\`${setting.fallback}\`` : ''
    return `| \`${name}\` | ${fallback} | ${setting.description} |`
  })
  return ['| Variable | Default | Meaning |', '|---|---|---|', ...rows].join('\n')
}
