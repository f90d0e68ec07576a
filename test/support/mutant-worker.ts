/** Stands in for a judge: does what the thing that it is to judge says. */
process.on('message', (id: string) => {
  if (id.startsWith('ends')) process.exit(3)
  if (id.startsWith('spins')) for (;;);
  process.send?.({ result: id })
})
process.on('disconnect', () => process.exit())
process.send?.('ready')
