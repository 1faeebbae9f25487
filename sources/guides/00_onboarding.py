# ---
# jupyter:
#   hundredfold:
#     unit: 0
#     slug: onboarding
#     title: "Onboarding for instructors"
#     teaching: 120
#     exercises: 0
# ---

# %% [markdown]
# # Onboarding for instructors
#
# *Two hours, alone or with those who will help you in the room*
#
# You know NumPy, and somebody asked you to teach with this course. After two hours you have taught one section aloud, read a class's page, shared
# GPUs on paper and graded an answer. No GPU is needed, and no learner.
#
# | minutes | what you do |
# |---:|---|
# | 10 | see what the course is |
# | 40 | teach a section |
# | 20 | read a class's page |
# | 20 | share GPUs |
# | 25 | grade |
# | 5 | choose a date for the rehearsal |

# %%
# %load_ext hundredfold

# %%
import json
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import cupy as cp

from hundredfold import check, measure
from hundredfold.classroom import syllabi
from hundredfold.classroom.assignment import course as assignment
from hundredfold.classroom.seats.command import plan_command
from hundredfold.learning.progress.command import command as progress

# %% [markdown]
# ## What the course is · 10 minutes
#
# A **unit** is a lecture that learners run, and exercises that check themselves. Its first cell says how many minutes a new reader needs.

# %%
for unit in syllabi.units().values():
    print(f"{unit.number:02d} · {unit.title}")

# %% [markdown]
# Three plans exist. Choose the one that fits your hours, and write its name down. Its page has a table with the minutes of each part.

# %%
for each in syllabi.every().values():
    print(f"{each.name}: for {each.audience}")

# %% [markdown]
# ## Teach a section · 40 minutes
#
# Each idea is taught in three steps.
#
# 1. **Predict.** Everybody writes a number down, before anybody runs the cell.
# 2. **Measure.** You run the cell once, in front.
# 3. **Explain.** You compare the time with the least time that the hardware needs.
#
# Read these two pages now, ten minutes: [unit 01](../notebooks/01_arrays.ipynb) up to its first measurement, and the page *Teaching 01* of the site's
# instructors' part. Then stand up, and teach this section aloud. Ask your question first: *this sum reads 80 MB; how many milliseconds does your processor need?*

# %%
my_guess_in_ms = "?"

# %%
x = cp.ones(10_000_000)
sum_of_x = measure(x.sum, name="sum", bytes=x.nbytes)
sum_of_x

# %% [markdown]
# Did you run it before you had a number of your own? Learners do that, too. Say it in the room: *hands off the keyboard until it is written down.*
#
# Three things go wrong in most first lessons:
#
# - **The speaker explains first.** Then the prediction is an echo. Let the room be wrong for a minute.
# - **Somebody's number is another.** It has to be: machines differ. Compare each time with its own limit, not with yours.
# - **Time runs out.** Leave out a section that the unit's page names. Do not leave out the discussion of a prediction.
#
# Say once what is simulated: *the answers are right, what a GPU refuses is refused, and the times are your processor's.*

# %% [markdown]
# ## Read a class's page · 20 minutes
#
# Learners share verdicts and predictions with the class if they agree. On a hub, its settings can say yes for them, and each can still say no. The page shows
# counts, and no names unless the hub's settings ask for them. Here is a class of twelve. **It is made up**, by the next cell.

# %%
room = Path(tempfile.mkdtemp())
(room / "answers").mkdir()
start = datetime(2027, 1, 14, 10, 0, tzinfo=UTC)


def line(minute, problem, outcome, reason=None):
    time = (start + timedelta(minutes=minute)).isoformat()
    return json.dumps({"time": time, "problem": problem, "outcome": outcome, "reason": reason})


for learner in range(12):
    lines = [line(1, "arrays.port", "wrong", "dtype" if learner % 3 else "host"), line(9, "arrays.port", "right")]
    lines.append(line(12, "arrays.count", "right"))
    if learner < 8:
        lines += [line(15, "arrays.clock", "wrong", "exception"), line(18, "arrays.clock", "wrong", "value")]
    if learner < 2:
        lines.append(line(25, "arrays.clock", "right"))
    (room / "answers" / f"{learner:02d}.jsonl").write_text("\n".join(lines) + "\n")

progress.main(["--class", str(room), "arrays"], standalone_mode=False)

# %% [markdown]
# Answer before you read on:
#
# 1. Which problem do you talk about now, in front?
# 2. Which one do you leave alone?
# 3. What do you say first?
#
# **A reading.** *Repair a stopwatch* needs you: eight have begun it, and two have solved it. *Port a function* does not. Everybody was wrong once and
# everybody solved it, so the hints work. Begin with the most common reason, and ask a learner to say what it means. Never ask who it was: the page does not know,
# and a class that fears the page stops sharing.

# %% [markdown]
# ## Share GPUs · 20 minutes
#
# Nobody needs a GPU. Where you have some, a **seat** is a learner's share of one. This prints how twelve learners share two GPUs:

# %%
plan_command.main(["--learners", "12", "--gpus", "2xL4"], standalone_mode=False)

# %% [markdown]
# Read three things off it: the way of sharing, the memory of each, and the units that run smaller. **Your turn**: in the cell above, write your own numbers in place of
# `12` and `2xL4`, such as `40` and `4xH200`. What changes for units 05 and 06? The text above the table says it: under MPS a fault of one learner ends the work of all on that GPU, so
# these two units simulate.
#
# Setting it up needs root. Send the page *Seats* of the administrators' part to whoever has it, a week before.

# %% [markdown]
# ## Grade · 25 minutes
#
# An answer is checked with the cell below it. This one is right, and the next one has a mistake that many make.


# %%
def standardise(x):
    centred = x - x.mean(axis=0)
    std = x.std(axis=0)
    return centred / cp.where(std > 0, std, 1)


check("arrays.port", standardise)


# %%
def standardise(x):
    return (x - x.mean()) / x.std()


check("arrays.port", standardise)

# %% [markdown]
# Read the refusal as a learner. It names the smallest case that fails, and gives no solution. What would you say to a learner who shows it to you? Ask *which axis?*,
# and wait.
#
# For points, this writes the exercises of unit 01 as an nbgrader course. In a terminal it is `hundredfold assignment FOLDER arrays`.

# %%
folder = Path(tempfile.mkdtemp())
for file in assignment.write(folder, ("arrays",)).written:
    print(file.relative_to(folder).as_posix())

# %% [markdown]
# Two rules before you grade:
#
# - **`nbgrader autograde` runs learners' code with your rights.** Run it in containers, or on a machine that has nothing else.
# - **Points can be gamed.** An answer and its check share one Python. Look at answers whose points surprise you.
#
# ## Choose a date · 5 minutes
#
# Put a rehearsal into your calendar, a week before the class, in the room itself. The page *Rehearsal and feedback* of the site's instructors' part has the list, and
# the questions of a form for learners. The page *Adapting the course* says how to leave out a unit, or to use your own data, GPU or hub.
