// What happens to `lens.show`'s picture: Bokeh runs show.js, requests.js and this, as one function, at each event.
if (!own.f) { begin(); own.pinned = middle(); }
const event = cb_obj && cb_obj.event_name;
if (event === "mousemove") {
  own.over = at(cb_obj);
  outline();
} else if (event === "mouseleave") {
  own.over = null;
  outline();
} else if (event === "tap") {
  own.pinned = at(cb_obj) || own.pinned;
  own.over = null;
  outline();
} else if (event === "button_click") {
  if (own.timer) { clearInterval(own.timer); own.timer = null; replay.label = "Replay"; }
  else {
    replay.label = "Stop";
    let k = 0;
    own.timer = setInterval(() => {
      if (k >= slider.end || !slider.document) { clearInterval(own.timer); own.timer = null; replay.label = "Replay"; }
      else slider.value = ++k;
    }, 900);
  }
} else if (cb_obj === liner || cb_obj === warper || cb_obj === turn || cb_obj === sectors.plot || cb_obj === banks.plot) {
  if (cb_obj === liner) turn.value = 1;
  ask();
} else if (own.seen && (cb_obj === threads.plot || panels.some((panel) => panel.plot === cb_obj))) {
  // A plot has got another size.
  if (cb_obj === threads.plot) frame(threads, named(own.f.threads.slice(1)));
  panels.forEach((panel) => panel.plot === cb_obj && viewOf(panel) && frame(panel, viewOf(panel)));
} else {
  if (cb_obj === chooser) { own.block = Math.max(0, chooser.options.indexOf(chooser.value)); own.pinned = middle(); }
  if (cb_obj === slider) own.interval = slider.value - 1;
  draw();
}
