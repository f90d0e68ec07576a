// The script of the docs page in development. It reloads the page for a new server, and shows why none starts.
{
  const address = new URL('dev.json', document.querySelector('script[src*="/static/"]').src)
  const box = document.createElement('pre')
  box.setAttribute('role', 'alert')
  Object.assign(box.style, {
    position: 'fixed',
    inset: 'auto 0 0 0',
    zIndex: 1000,
    margin: 0,
    padding: '1em',
    maxHeight: '50vh',
    overflow: 'auto',
    background: '#7a1020',
    color: '#fff',
    whiteSpace: 'pre-wrap',
  })
  let known
  const look = async () => {
    try {
      const { build, faults } = await (await fetch(address, { cache: 'no-store' })).json()
      if (known !== undefined && known !== build) return location.reload()
      known = build
      box.textContent = faults.join('\n\n')
      if (faults.length > 0) document.body.append(box)
      else box.remove()
      setTimeout(look, 200)
    } catch {
      setTimeout(look, 20) // between two servers
    }
  }
  look()
}
