import { fileVariable, settings } from '../../src/config.ts'

/** README's table of the environment variables, made from the code that reads them. */
export function settingsTable(): string {
  const rows = Object.entries(settings).map(([name, setting]) => {
    const fallback = 'fallback' in setting ? `\`${setting.fallback}\`` : ''
    const file = fileVariable(name, setting)
    const names = [name, file].flatMap(text => (text === undefined ? [] : `\`${text}\``))
    return `| ${names.join(', ')} | ${fallback} | ${setting.description} |`
  })
  return ['| Variable | Default | Meaning |', '|---|---|---|', ...rows].join('\n')
}
