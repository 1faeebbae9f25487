"""The command `kernellens check`: a project's kernels, looked at in a CI without a GPU.

`command`  the command
`sarif`    findings in the format that code hosts show beside the lines
"""
